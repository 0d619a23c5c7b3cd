import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Expr } from '../../packages/cel/ast/expr.js';
import { parseCel } from '../../packages/cel/parse/index.js';
import { constantTruths, type References, collectReferences } from './references.js';

function references(text: string): References {
  const { ast } = parseCel(text);
  if (ast === undefined) throw new Error(`does not parse: ${text}`);
  return collectReferences(ast);
}

const names = (text: string) => {
  const { variables, constants } = references(text);
  return [[...variables.keys()].join(' '), [...constants.keys()].join(' ')];
};

test('a reference is a selection from V, variables, C or constants (6.1)', () => {
  assert.equal(names('V.a + variables.b * C.c - constants.d'), ['a b', 'c d']);
  assert.equal(names('V.a.b.c == R.attr.V.x'), ['a', '']);
  assert.equal(names('has(V.a) && [C.b][0] in {"k": V.d}.k'), ['a d', 'b']);
  assert.equal(names('G.a + globals.b + P.attr.c'), ['', '']);
});

test('optional selections and indexing are not references (6.1)', () => {
  assert.equal(names('V.?a.orValue(1)'), ['', '']);
  assert.equal(names('V["a"]'), ['', '']);
});

test('a comprehension variable named V is taken for the policy variables (6.1)', () => {
  assert.equal(names('R.attr.list.exists(V, V.a == 1)'), ['a', '']);
});

test('each name has the location of its first selection', () => {
  const node = references('1 + V.a + V.a').variables.get('a');
  assert.equal([node?.start, node?.end], [4, 7]);
});

test('names that constant folding removes are not references (5.1)', () => {
  for (const text of [
    'false && V.a',
    'V.a && false',
    'true || V.a',
    'V.a == 1 || (true || V.b)',
    'R.attr.x && V.a && false',
    '!true && V.a',
    '1 == 2 && V.a',
    '1 < 2 || V.a',
    'V.a in []',
    '(true ? false : V.a) && V.b',
  ]) {
    assert.equal(names(text), ['', ''], text);
  }
});

test('names that remain after folding are references', () => {
  assert.equal(names('true && V.a'), ['a', '']);
  assert.equal(names('false || V.a'), ['a', '']);
  assert.equal(names('true ? V.a : V.b'), ['a', '']);
  assert.equal(names('"x" == "x" ? V.a : V.b'), ['a', '']);
  assert.equal(names('R.attr.x ? V.a : V.b'), ['a b', '']);
  assert.equal(names('(false && V.a) == V.b'), ['b', '']);
});

test('a long chain of operators does not overflow the stack', () => {
  assert.equal(names(Array.from({ length: 5_000 }, () => 'V.a').join(' && ')), ['a', '']);
});

function findTruth(text: string): boolean | undefined {
  const { ast } = parseCel(text);
  return constantTruths(ast as Expr).get(ast as Expr);
}

test('comparisons of literals have their runtime result, for smaller, equal and greater values', () => {
  const outcomes = (operator: string): readonly (boolean | undefined)[] =>
    ['1', '2', '3'].map((left) => findTruth(`${left} ${operator} 2`));
  assert.equal(outcomes('<'), [true, false, false]);
  assert.equal(outcomes('<='), [true, true, false]);
  assert.equal(outcomes('>'), [false, false, true]);
  assert.equal(outcomes('>='), [false, true, true]);
  assert.equal(outcomes('=='), [false, true, false]);
  assert.equal(outcomes('!='), [true, false, true]);
});

test('comparisons of different types, of strings by order, or of request data are not constant', () => {
  for (const text of ['1 == 1u', '1 < 2.0', '"a" < "b"', 'b"a" == b"a"', 'R.attr.x == 1', '1 + 1 == 2'])
    assert.is(findTruth(text), undefined, text);
});

test.run();
