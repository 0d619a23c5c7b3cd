import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveUri, splitUri, uriText } from './uri.js';

const resolved = (base: string, reference: string): string => uriText(resolveUri(splitUri(base), splitUri(reference)));

test('references are resolved as in RFC 3986, 5.4', () => {
  const cases = {
    'g:h': 'g:h',
    g: 'http://a/b/c/g',
    './g': 'http://a/b/c/g',
    'g/': 'http://a/b/c/g/',
    '/g': 'http://a/g',
    '//g': 'http://g',
    '?y': 'http://a/b/c/d;p?y',
    'g?y': 'http://a/b/c/g?y',
    '': 'http://a/b/c/d;p?q',
    '.': 'http://a/b/c/',
    '..': 'http://a/b/',
    '../g': 'http://a/b/g',
    '../../g': 'http://a/g',
    '../../../g': 'http://a/g',
    'g/./h/../i': 'http://a/b/c/g/i',
  };
  for (const [reference, wanted] of Object.entries(cases))
    assert.is(resolved('http://a/b/c/d;p?q', reference), wanted, reference);
});

test('a scheme is lower case, and an empty authority stays', () => {
  assert.is(uriText(splitUri('AUTHZ:///A/b.json#x')), 'authz:///A/b.json');
  assert.is(resolved('authz:///sub/a.json', '../b.json'), 'authz:///b.json');
  assert.is(resolved('authz:///sub/a.json', '/b.json'), 'authz:///b.json');
});

test.run();
