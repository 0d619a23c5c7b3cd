import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IDENT, NAME, OPTIONAL_VERSION, PLAIN, SCOPE, VERSION } from './patterns.js';

const PATTERNS = { NAME, IDENT, SCOPE, PLAIN, VERSION, OPTIONAL_VERSION };

// Short texts only: the patterns as messages show them may backtrack.
const ALPHABET = ['', 'a', 'Z', '0', '_', '-', '.', '@', '*', '[', ' ', '\n', 'é'];

for (const [name, { text, accepts }] of Object.entries(PATTERNS)) {
  test(`${name} accepts the same strings as the pattern shown in messages`, () => {
    const shown = new RegExp(text);
    for (const a of ALPHABET) {
      for (const b of ALPHABET) {
        for (const c of ALPHABET) {
          for (const d of ALPHABET) {
            const word = a + b + c + d;
            assert.is(accepts.test(word), shown.test(word), JSON.stringify(word));
          }
        }
      }
    }
  });

  test(`${name} is matched in linear time`, () => {
    for (const unit of ['a', 'a.', 'a-', '.a', '_', '@'])
      assert.is(accepts.test(`${unit.repeat(200_000)}!\n`), false, unit);
  });
}

test.run();
