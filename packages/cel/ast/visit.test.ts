import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Expr } from './expr.js';
import { children, visit } from './visit.js';

const at = { start: 0, end: 0 };

test('parents come before their children, children in source order', () => {
  const names: string[] = [];
  const tree: Expr = { ...at, kind: 'index', operand: select(ident('a'), 'b'), index: ident('c'), optional: false };
  visit(tree, (expr) => names.push(expr.kind === 'ident' ? expr.name : expr.kind));
  assert.equal(names, ['index', 'select', 'a', 'c']);
});

test('the children of a macro are the parts that it has', () => {
  const [range, body] = [ident('l'), ident('x')];
  const macro: Expr = {
    ...at,
    kind: 'macro',
    macro: 'map',
    range,
    variables: ['x'],
    predicate: undefined,
    body,
    args: [],
    nameStart: 0,
  };
  assert.equal(children(macro), [range, body]);
});

test('a deep tree does not overflow the stack', () => {
  let tree: Expr = ident('a');
  for (let i = 0; i < 100_000; i++) tree = select(tree, 'b');
  let count = 0;
  visit(tree, () => count++);
  assert.is(count, 100_001);
});

test.run();

function ident(name: string): Expr {
  return { ...at, kind: 'ident', name, rooted: false };
}

function select(operand: Expr, field: string): Expr {
  return { ...at, kind: 'select', operand, field, fieldStart: 0, optional: false };
}
