import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LONGEST_INPUT, PendingInput } from './pending-input.js';

const test = suite('lines of an input');

test('a line that is complete is an input', () => {
  assert.equal(inputs('1 + 1', ':vars', ''), ['1 + 1', ':vars', '']);
});

test('a line goes on in brackets, in quotes, and after a backslash', () => {
  assert.equal(inputs('[1,', '2', ']', '3'), ['[1,\n2\n]', '3']);
  assert.equal(inputs("'''a", "b'''"), ["'''a\nb'''"]);
  assert.equal(inputs('"a', 'b"'), ['"a\nb"']);
  assert.equal(inputs('1 +\\', '2'), ['1 +\n2']);
  assert.equal(inputs(':let P = {', '"id": "a"}'), [':let P = {\n"id": "a"}']);
});

test('brackets in strings and comments, and quotes that are escaped, open nothing', () => {
  assert.equal(inputs('"["', "'('", '1 // (', '"\\"" + \'"\'', 'r"\\"', '"""a"b"""'), [
    '"["',
    "'('",
    '1 // (',
    '"\\"" + \'"\'',
    'r"\\"',
    '"""a"b"""',
  ]);
});

test('comments and directives that take no expression are lines, whatever is in them', () => {
  assert.equal(inputs("# don't (", ":load ann's (1).yaml", '1'), ["# don't (", ":load ann's (1).yaml", '1']);
});

test('a bracket too many is for the parser, and does not open a line', () => {
  assert.equal(inputs('1)', '(2'), ['1)']);
});

test('an input that never ends is given up at its longest, in a time that grows with its length', () => {
  const pending = new PendingInput();
  let given: string | undefined;
  let lines = 0;
  for (; given === undefined && lines <= LONGEST_INPUT; lines += 1) given = pending.add('(');
  assert.is(given?.length, LONGEST_INPUT + 1);
  assert.is(pending.isOpen, false);
});

test.run();

function inputs(...lines: readonly string[]): readonly string[] {
  const pending = new PendingInput();
  return lines.flatMap((line) => pending.add(line) ?? []);
}
