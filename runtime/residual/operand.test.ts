import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { operandText } from './debug.js';
import { expression, joined, keepLikeness, type Operand, sameOperand } from './operand.js';

const variable = (name: string): Operand => ({ variable: `request.resource.attr.${name}` });
const value = (constant: never): Operand => ({ value: constant });
const has = (name: string): Operand => expression('has', variable(name));
const eq = (name: string, constant: unknown): Operand => expression('eq', variable(name), value(constant as never));
const text = (operand: Operand): string => operandText(operand).replaceAll('request.resource.attr.', '');

test('an attribute in a comparison needs no has() next to it', () => {
  assert.is(text(joined('and', [has('a'), eq('a', 1)], 'flat')), '(eq a 1)');
  assert.is(text(joined('and', [has('a'), eq('b', 1)], 'flat')), '(and (has a) (eq b 1))');
});

test('where a value is used, has() stays: without it the filter would fail instead of being false', () => {
  assert.is(text(joined('and', [has('a'), eq('a', 1)], 'flat', 'value')), '(and (has a) (eq a 1))');
});

test('next to a condition that needs an attribute, its absence is no alternative', () => {
  const absentOrZero = expression('or', eq('b', 0), expression('not', has('a')));
  assert.is(text(joined('and', [has('a'), absentOrZero], 'flat')), '(and (has a) (eq b 0))');
  assert.is(text(joined('and', [eq('c', 1), absentOrZero], 'flat')), '(and (eq c 1) (or (eq b 0) (not (has a))))');
});

test('equalities of one attribute become a membership, whichever side the constant is on', () => {
  assert.is(
    text(joined('or', [eq('a', 'x'), expression('eq', value('y' as never), variable('a'))], 'flat')),
    '(in a ["x","y"])',
  );
  assert.is(
    text(joined('or', [eq('a', 'x'), expression('in', variable('a'), value(['y', 'z'] as never))], 'flat')),
    '(in a ["x","y","z"])',
  );
  // Of two attributes nothing is known.
  const ofTwo = expression('eq', variable('a'), variable('b'));
  assert.is(text(joined('or', [eq('a', 'x'), ofTwo], 'flat')), '(or (eq a "x") (eq a b))');
});

test('duplicates are dropped', () => {
  assert.is(text(joined('or', [eq('a', [1]), eq('b', 1), eq('a', [1])], 'flat')), '(or (eq a [1]) (eq b 1))');
  assert.is(sameOperand(value([1] as never), value([1] as never)), true);
  assert.is(sameOperand(value(1 as never), has('a')), false);
  assert.is(sameOperand(has('a'), has('b')), false);
});

test('operands whose hashes are kept are duplicates of equal ones whose hashes are not, alone or within others', () => {
  const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
  const plain = names.map((name) => expression('lt', variable(name), value(1 as never)));
  const kept = plain.map((operand) => keepLikeness(structuredClone(operand)));
  const within = (operands: readonly Operand[]): readonly Operand[] =>
    operands.map((operand) => expression('and', has('z'), operand));
  for (const [some, others] of [
    [plain, kept],
    [within(plain), within(kept)],
  ] as const) {
    const alone = joined('or', some, 'flat');
    assert.equal(joined('or', [...some, ...others], 'flat'), alone);
    assert.equal(joined('or', [...others, ...some], 'flat'), alone);
  }
});

test.run();
