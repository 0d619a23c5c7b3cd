import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MacroExpr } from '../ast/expr.js';
import { parseCel } from './index.js';

test('one and two variables, with and without a filter', () => {
  assert.equal(describeShape('l.all(x, p)'), 'all x range=l body=p');
  assert.equal(describeShape('l.exists(i, v, p)'), 'exists i,v range=l body=p');
  assert.equal(describeShape('l.exists_one(x, p)'), 'exists_one x range=l body=p');
  assert.equal(describeShape('l.existsOne(i, v, p)'), 'exists_one i,v range=l body=p');
  assert.equal(describeShape('l.filter(x, p)'), 'filter x range=l body=p');
  assert.equal(describeShape('l.map(x, b)'), 'map x range=l body=b');
  assert.equal(describeShape('l.map(x, p, b)'), 'map x range=l predicate=p body=b');
  assert.equal(describeShape('l.transformList(i, v, b)'), 'transformList i,v range=l body=b');
  assert.equal(describeShape('l.transformMap(i, v, p, b)'), 'transformMap i,v range=l predicate=p body=b');
  assert.equal(describeShape('l.transformMapEntry(i, v, b)'), 'transformMapEntry i,v range=l body=b');
  assert.equal(describeShape('l.sortBy(x, k)'), 'sortBy x range=l body=k');
  assert.equal(describeShape('o.optMap(x, b)'), 'optMap x range=o body=b');
  assert.equal(describeShape('o.optFlatMap(x, b)'), 'optFlatMap x range=o body=b');
  assert.equal(describeShape('cel.bind(x, r, b)'), 'cel.bind x range=r body=b');
  assert.equal(describeShape('math.greatest(a, b)'), 'math.greatest  args=a,b');
  assert.equal(describeShape('has(a.b)'), 'has  range=a.b');
});

test('another number of arguments or another form is an ordinary call', () => {
  for (const text of [
    'l.all(x)',
    'l.exists(x, y, z, p)',
    'l.existsOne(x, p)',
    'l.map()',
    'all(x, p)',
    'l.has(a)',
    'has(a, b)',
    'cel.bind(x, 1)',
    'x.bind(a, b, c)',
    '.cel.bind(x, 1, 2)',
    'greatest(1)',
    'x.greatest(1)',
    '.has(a.b)',
  ]) {
    assert.is(parseCel(text).ast?.kind, 'call', text);
  }
});

test('the arguments of macros are checked', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['has(a)', 'invalid argument to has() macro'],
    ['has(a.?b)', 'invalid argument to has() macro'],
    ['l.all(a.b, true)', 'argument must be a simple name'],
    ['l.map(a.b, true)', 'argument is not an identifier'],
    ['l.all(1, v, true)', 'argument is not an identifier'],
    ['l.all(i, i, true)', 'duplicate variable name: i'],
    ['l.filter(__result__, true)', 'iteration variable overwrites accumulator variable'],
    ['cel.bind(1, 2, 3)', 'cel.bind() variable names must be simple identifiers'],
    ['{}.sortBy(x, x)', 'sortBy can only be applied to a list, identifier, comprehension, call or select expression'],
    ['math.greatest()', 'math.greatest() requires at least one argument'],
    ['math.least([])', 'math.least() invalid single argument value'],
    ['math.least(1, "a")', 'math.least() simple literal arguments must be numeric'],
  ];
  for (const [text, message] of refused)
    assert.equal(
      parseCel(text).errors.map((error) => error.message),
      [message],
      text,
    );
});

test('a reserved word cannot be a variable', () => {
  assert.equal(
    parseCel('[1].map(var, var)').errors.map(({ message }) => message),
    ['reserved identifier: var', 'argument is not an identifier', 'reserved identifier: var'],
  );
});

test.run();

function describeShape(text: string): string {
  const { ast } = parseCel(text);
  if (ast?.kind !== 'macro') return `no macro: ${ast?.kind}`;
  const cutText = (expr: MacroExpr['range']) => (expr === undefined ? '' : text.slice(expr.start, expr.end));
  const parts = [
    ast.range && `range=${cutText(ast.range)}`,
    ast.predicate && `predicate=${cutText(ast.predicate)}`,
    ast.body && `body=${cutText(ast.body)}`,
    ast.args.length > 0 && `args=${ast.args.map(cutText).join(',')}`,
  ];
  return [ast.macro, ast.variables.join(','), ...parts.filter(Boolean)].join(' ');
}
