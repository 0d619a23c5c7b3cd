import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LONGEST_INPUT, PendingInput } from './pending-input.js';

const test = suite('input over several lines');

test('a complete line is an input', () => {
  assert.equal(inputs('1 + 1', ':vars', ''), ['1 + 1', ':vars', '']);
});

test('input continues in brackets, in quotes, and after a backslash', () => {
  assert.equal(inputs('[1,', '2', ']', '3'), ['[1,\n2\n]', '3']);
  assert.equal(inputs("'''a", "b'''"), ["'''a\nb'''"]);
  assert.equal(inputs('"a', 'b"'), ['"a\nb"']);
  assert.equal(inputs('1 +\\', '2'), ['1 +\n2']);
  assert.equal(inputs(':let P = {', '"id": "a"}'), [':let P = {\n"id": "a"}']);
});

test('brackets in strings and comments, and escaped quotes, do not continue the input', () => {
  assert.equal(inputs('"["', "'('", '1 // (', '"\\"" + \'"\'', 'r"\\"', '"""a"b"""'), [
    '"["',
    "'('",
    '1 // (',
    '"\\"" + \'"\'',
    'r"\\"',
    '"""a"b"""',
  ]);
});

test('comments and directives without an expression are single lines, whatever they contain', () => {
  assert.equal(inputs("# don't (", ":load ann's (1).yaml", '1'), ["# don't (", ":load ann's (1).yaml", '1']);
});

test('an extra closing bracket is left to the parser', () => {
  assert.equal(inputs('1)', '(2'), ['1)']);
});

test('endless input is cut off at the maximum length, in linear time', () => {
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
