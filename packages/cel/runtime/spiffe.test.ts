import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isMemberOf,
  matchesID,
  spiffeID,
  spiffeMatchAny,
  spiffeMatchExact,
  spiffeMatchOneOf,
  spiffeMatchTrustDomain,
  spiffeName,
  spiffePath,
  spiffeTrustDomain,
  trustDomain,
} from './spiffe.js';
import { CelError, type Opaque, type Result } from './values.js';

const shown = (result: Result) => (result instanceof CelError ? result.message : result);
const id = spiffeID('spiffe://a.b/ns/x') as Opaque;
const domain = spiffeTrustDomain('a.b') as Opaque;

test('an ID has a trust domain and a path', () => {
  assert.is(spiffePath(id), '/ns/x');
  assert.is(spiffePath(spiffeID('spiffe://a.b')), '');
  assert.is(spiffeName(trustDomain(id)), 'a.b');
  assert.is(isMemberOf(id, domain), true);
  assert.is(isMemberOf(id, spiffeTrustDomain('c.d')), false);
  assert.is(spiffeName(spiffeTrustDomain('spiffe://a.b/x/y')), 'a.b');
});

test('the error for an invalid ID names the first problem from the left', () => {
  const limited = 'trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores';
  const reasons: readonly (readonly [string, string])[] = [
    ['', 'cannot be empty'],
    ['SPIFFE://a.b/x', 'scheme is missing or invalid'],
    ['spiffe://', 'trust domain is missing'],
    ['spiffe:///x', 'trust domain is missing'],
    ['spiffe://a.b:80/x', limited],
    ['spiffe://A/x', limited],
    ['spiffe://a.b//x', 'path cannot contain empty segments'],
    ['spiffe://a.b/./x', 'path cannot contain dot segments'],
    ['spiffe://a.b/x/..', 'path cannot contain dot segments'],
    ['spiffe://a.b/x/', 'path cannot have a trailing slash'],
    ['spiffe://a.b/', 'path cannot have a trailing slash'],
    ['spiffe://a.b/x%20', 'path segment characters are limited to letters, numbers, dots, dashes, and underscores'],
  ];
  for (const [text, reason] of reasons) assert.is(shown(spiffeID(text)), `failed to parse SPIFFE ID: ${reason}`);
  assert.is(shown(spiffeTrustDomain('')), 'failed to parse SPIFFE trust domain: trust domain is missing');
  assert.is(shown(spiffeTrustDomain('a b')), `failed to parse SPIFFE trust domain: ${limited}`);
  assert.is(shown(spiffeTrustDomain('x:/y')), 'failed to parse SPIFFE trust domain: scheme is missing or invalid');
});

test('matchers accept the IDs that they were created for', () => {
  assert.is(matchesID(spiffeMatchAny(), id), true);
  assert.is(matchesID(spiffeMatchExact(id), 'spiffe://a.b/ns/x'), true);
  assert.is(matchesID(spiffeMatchExact('spiffe://a.b/y'), id), false);
  assert.is(matchesID(spiffeMatchOneOf([]), id), false);
  assert.is(matchesID(spiffeMatchOneOf(['spiffe://a.b/y', id]), id), true);
  assert.is(matchesID(spiffeMatchTrustDomain('a.b'), id), true);
  assert.is(matchesID(spiffeMatchTrustDomain(domain), 'spiffe://c/x'), false);
  assert.is(shown(matchesID(spiffeMatchAny(), 'bad')), 'invalid SPIFFE ID: scheme is missing or invalid');
});

test('wrong types are reported in the error class of the function', () => {
  assert.is(shown(spiffeID(5)), 'no such overload: spiffeID(double)');
  assert.is(shown(spiffeMatchOneOf([1])), 'no such overload: spiffeMatchOneOf(list)');
  assert.is(shown(spiffeMatchOneOf(['bad'])), 'no such overload');
  assert.is(shown(spiffeMatchOneOf(['spiffe://a/b', 5])), 'no such overload');
  assert.is(shown(spiffeMatchTrustDomain(null)), 'no such overload: spiffeMatchTrustDomain(null_type)');
  assert.is(shown(matchesID(5, 'spiffe://a/b')), 'no such overload: matchesID');
  assert.is(shown(matchesID('a', 'spiffe://a/b')), 'no such overload');
  assert.is(shown(matchesID(spiffeMatchAny(), 5)), 'no such overload');
  assert.is(shown(isMemberOf(id, null)), 'no such overload');
  assert.is(matchesID(spiffeMatchAny(), undefined), undefined);
});

test('on the left of == an ID equals its string, and a trust domain any string that parses to it', () => {
  assert.is(id.equalTo('spiffe://a.b/ns/x'), true);
  assert.is(id.equalTo('spiffe://a.b/ns/y'), false);
  assert.is(id.equalTo(null), false);
  assert.is(shown(id.equalTo(5)), 'no such overload');
  assert.is(domain.equalTo('a.b'), true);
  assert.is(domain.equalTo('spiffe://a.b'), true);
  assert.is(domain.equalTo('bad td'), false);
  assert.is(shown(domain.equalTo(id)), 'no such overload');
  const any = spiffeMatchAny();
  assert.is(any.equalTo(any), false);
  assert.is((domain.compareTo(spiffeTrustDomain('b') as Opaque) ?? 0) < 0, true);
});

test.run();
