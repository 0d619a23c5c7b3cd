import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Expr } from '../ast/expr.js';
import { parseCel } from '../parse/cel/index.js';
import { constantTruths } from './constant-truths.js';

function truthOf(text: string): boolean | undefined {
  const { ast } = parseCel(text);
  return constantTruths(ast as Expr).get(ast as Expr);
}

test('comparisons of literals are what they are at run time, of smaller, equal and greater ones', () => {
  const outcomes = (operator: string): readonly (boolean | undefined)[] =>
    ['1', '2', '3'].map((left) => truthOf(`${left} ${operator} 2`));
  assert.equal(outcomes('<'), [true, false, false]);
  assert.equal(outcomes('<='), [true, true, false]);
  assert.equal(outcomes('>'), [false, false, true]);
  assert.equal(outcomes('>='), [false, true, true]);
  assert.equal(outcomes('=='), [false, true, false]);
  assert.equal(outcomes('!='), [true, false, true]);
});

test('a comparison of two types, of texts by order, or of what the request says is not constant', () => {
  for (const text of ['1 == 1u', '1 < 2.0', '"a" < "b"', 'b"a" == b"a"', 'R.attr.x == 1', '1 + 1 == 2'])
    assert.is(truthOf(text), undefined, text);
});

test.run();
