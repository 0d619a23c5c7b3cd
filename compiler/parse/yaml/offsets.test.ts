import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../diagnostics/diagnostic.js';
import { Source } from '../../diagnostics/source.js';
import type { YamlText } from './node.js';
import { isVerbatim, textOffsets } from './offsets.js';
import { readDocument } from './read.js';

/** The value of `a`. */
function valueOfA(text: string): YamlText {
  const source = new Source('a.yaml', text);
  const report = new Diagnostics();
  const root = readDocument(source, report)?.root;
  assert.equal(report.sorted(), []);
  return root?.entries[0]?.value as YamlText;
}

/** The text of the value of `a`, and for each of its units what stands at its place in the file. */
function mapped(text: string): { readonly text: string; readonly pieces: readonly string[] } {
  const node = valueOfA(text);
  const { starts, ends } = textOffsets(node.text, node.written);
  assert.is(starts.length, node.text.length);
  assert.is(ends.length, node.text.length);
  return { text: node.text, pieces: starts.map((start, index) => text.slice(start, ends[index])) };
}

/** Every unit that is not white space stands at its own place. */
function isFaithful(text: string, wanted: string): void {
  const result = mapped(text);
  assert.is(result.text, wanted);
  for (const [index, piece] of result.pieces.entries()) {
    if (/\S/.test(wanted[index] as string)) assert.is(piece, wanted[index]);
  }
}

test('a plain scalar maps through folding', () => {
  isFaithful('a: x ==\n  y\n\n  && z\n', 'x == y\n&& z');
});

test('a literal block maps through its indentation', () => {
  isFaithful('a: |-\n    x ==\n      y\n\n    z\n', 'x ==\n  y\n\nz');
  isFaithful('a: |2\n   x\n  y', ' x\ny\n');
  isFaithful('a: | # why\r\n  x\r\n  y\r\n', 'x\ny\n');
});

test('a folded block maps through its line breaks', () => {
  isFaithful('a: >\n  x\n  y\n\n    z\n  w\n', 'x y\n\n  z\nw\n');
  isFaithful('a: >+\n  x\n\n\n', 'x\n\n\n');
});

test('a quoted scalar maps through doubled quotes and escapes', () => {
  assert.equal(mapped(`a: 'x''y'`).pieces, ['x', `''`, 'y']);
  assert.equal(mapped('a: "x\\"\\u0041\\n\\\\ y"').pieces, ['x', '\\"', '\\u0041', '\\n', '\\\\', ' ', 'y']);
  assert.equal(mapped('a: "\\U0001F600x"').pieces, ['\\U0001F600', '\\U0001F600', 'x']);
  assert.equal(mapped('a: "\\ud83d\\ude00x"').pieces, ['\\ud83d', '\\ude00', 'x']);
  assert.equal(mapped('a: "\\ud83dx"').pieces, ['\\ud83d', 'x']);
});

test('a quoted scalar maps through its line breaks', () => {
  isFaithful('a: "x\n  y\n\n  z"', 'x y\nz');
  isFaithful('a: "x \\\n  y"', 'x y');
  isFaithful('a: "x\\\n  \\ y"', 'x y');
  isFaithful(`a: 'x\n  y'`, 'x y');
});

test('an escaped line break has no character of its own: white space maps to the character after it', () => {
  assert.equal(mapped('a: "x\\\n  \\ y"').pieces, ['x', ' ', 'y']);
  assert.equal(mapped('a: "x\\\n  \\ny"').pieces, ['x', ' ', 'y']);
  assert.equal(mapped('a: "x\\\r\n  \\ny"').pieces, ['x', '\n', 'y']);
});

test('each unit of a value that stands in the file as it is maps to its own place', () => {
  for (const text of ['a: x == "y" ', `a: 'x == "y"'`, 'a: "x == \ud83d\ude00"', "a: ''"]) {
    const { text: value, written } = valueOfA(text);
    assert.ok(isVerbatim(value, written), text);
    const starts = Array.from({ length: value.length }, (_, index) => written.span.start + index);
    const ends = starts.map((start) => start + 1);
    assert.equal(textOffsets(value, written), { starts, ends }, text);
  }
  for (const text of [`a: 'x''y'`, 'a: "x\\ny"', 'a: x\n  y', 'a: |-\n  x == y', "a: '\ud83d'"]) {
    const { text: value, written } = valueOfA(text);
    assert.not.ok(isVerbatim(value, written), text);
  }
});

test.run();
