import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lexer, parseDocument } from 'yaml';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { formatted } from '../../compiler/format/format.js';
import { Random } from '../support/oracle/random.js';
import { randomYaml } from './random-yaml.js';
import { SEED, rounds } from '../support/effort.js';

test('random documents keep their values, keys and comments, and are formatted once and for all', () => {
  const seed = SEED;
  const random = new Random(seed);
  const documents = rounds(400);
  let changed = 0;
  for (let index = 0; index < documents; index += 1) {
    const text = randomYaml(random);
    const once = formatted(new Source('a.yaml', text), new Diagnostics());
    const message = `seed ${seed}, document ${index}:\n${text}\n----\n${once}`;
    assert.ok(once !== undefined, message);
    assert.equal(valuesOf(once), valuesOf(text), message);
    assert.equal(commentsOf(once), commentsOf(text), message);
    assert.is(formatted(new Source('a.yaml', once), new Diagnostics()), once, message);
    if (once !== text) changed += 1;
  }
  console.log(JSON.stringify({ documents, changed }));
  assert.ok(changed > documents * 0.9);
});

test.run();

/** Every scalar as a text, so that equal values in different notations differ. */
function valuesOf(text: string): unknown {
  return parseDocument(text, { schema: 'failsafe' }).toJS({ mapAsMap: true });
}

function commentsOf(text: string): readonly string[] {
  const lexemes = [...new Lexer().lex(text)];
  return lexemes
    .filter((lexeme, index) => lexeme.startsWith('#') && lexemes[index - 1] !== '\u001f')
    .map((lexeme) => lexeme.trimEnd());
}
