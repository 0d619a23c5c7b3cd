import { RE2JS } from 're2js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { verifiedRegExp } from './host-regexp.js';
import { parseSafeSubset, type SafePattern } from './safe-regexp-parser.js';

const verified = (pattern: string) => verifiedRegExp(parseSafeSubset(pattern) as SafePattern, RE2JS.compile(pattern));

test('a host that agrees with RE2 matches patterns of the subset natively', () => {
  for (const pattern of ['^[a-z]+$', '[^a-z0-9]$', '\\.pdf$', '(?i)^admin', '^(?:(?:(?:(?:a+b)+c)+d)+e)+$', '']) {
    assert.instance(verified(pattern), RegExp, pattern);
  }
});

test('after one wrong result no later pattern is matched natively', () => {
  const { test: original } = RegExp.prototype;
  RegExp.prototype.test = function (text) {
    return this.unicode && this.source.includes('x') ? text === 'x' : original.call(this, text);
  };
  try {
    assert.instance(verified('^[b-d]+$'), RegExp);
    assert.is(verified('^xy$'), undefined);
    assert.is(verified('^[b-d]+$'), undefined);
  } finally {
    RegExp.prototype.test = original;
  }
});

test.run();
