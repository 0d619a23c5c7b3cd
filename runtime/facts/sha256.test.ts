import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sha256 } from './sha256.js';

test('digests are those of the platform, at every length around a block', () => {
  for (let length = 0; length < 200; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 7 + length);
    assert.is(sha256(bytes), createHash('sha256').update(bytes).digest('hex'), String(length));
  }
});

test.run();
