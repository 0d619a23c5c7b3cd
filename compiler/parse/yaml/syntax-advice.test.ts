import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../diagnostics/diagnostic.js';
import { Source } from '../../diagnostics/source.js';
import { readDocument } from './read.js';

/** Documents that are no YAML, with a word of the way out. */
const MISTAKES: readonly (readonly [text: string, advice: RegExp])[] = [
  ['a:\n\tb: c\n', /spaces/],
  ['a:\n\t- b\n', /spaces/],
  ['a: [b, c\n', /close the bracket/],
  ['a: {b: c\n', /close the bracket/],
  ['a: "b\n', /quote that closes/],
  ["a: 'b\n", /quote that closes/],
  ['a: b: c\n', /in quotes/],
  ['a: @b\n', /in quotes/],
  ['a: `b`\n', /in quotes/],
  ['a: %b\n', /in quotes/],
  ['a:\n  b: c\n d: e\n', /same indentation/],
  ['a: b\nc\n', /`:` after the key/],
  ['a: "\\d"\n', /single quotes/],
  ['a: * b\n', /in quotes/],
  ['a: b]\nc: ]\n', /in quotes/],
];

for (const [text, advice] of MISTAKES)
  test(`${JSON.stringify(text)} has advice`, () => {
    const report = new Diagnostics();
    assert.is(readDocument(new Source('a.yaml', text), report), undefined);
    const [diagnostic] = report.sorted();
    assert.is(diagnostic?.code, 'yaml/syntax');
    assert.match(diagnostic?.notes.map(({ message }) => message).join('\n') ?? '', advice, diagnostic?.message);
  });

test.run();
