import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selects } from './evaluate.js';
import { expression, type Operand } from './operand.js';

const attr = (name: string): Operand => ({ variable: `request.resource.attr.${name}` });
const value = (constant: never): Operand => ({ value: constant });
const passes = (condition: Operand, attributes: { readonly [name: string]: unknown }): boolean =>
  selects({ kind: 'KIND_CONDITIONAL', condition }, { id: 'r', attr: attributes });

const isOne = expression('eq', attr('x'), value(1 as never));

test('a row is selected only where the condition is exactly true', () => {
  assert.is(passes(attr('x'), { x: true }), true);
  assert.is(passes(attr('x'), { x: 'true' }), false);
  assert.is(passes(attr('x'), {}), false);
});

test('always selects every row, never none', () => {
  assert.is(selects({ kind: 'KIND_ALWAYS_ALLOWED' }, { attr: {} }), true);
  assert.is(selects({ kind: 'KIND_ALWAYS_DENIED' }, { attr: {} }), false);
});

test('a missing attribute is an error, which `and` and `or` may absorb and `not` does not', () => {
  assert.is(passes(expression('not', isOne), {}), false);
  assert.is(passes(expression('or', isOne, value(true as never)), {}), true);
  assert.is(passes(expression('not', expression('and', isOne, value(false as never))), {}), true);
});

test('the time since is measured from the time of the row; without one a filter that reads the time selects nothing', () => {
  const isFresh = expression(
    'lt',
    expression('timeSince', expression('timestamp', attr('t'))),
    expression('duration', value('1h' as never)),
  );
  const asked = (condition: Operand, now?: { seconds: number; nanos: number; offset: number }): boolean =>
    selects({ kind: 'KIND_CONDITIONAL', condition }, { attr: { t: '2025-01-01T12:00:00Z' }, now });
  assert.is(asked(isFresh, { seconds: 1_735_732_800, nanos: 0, offset: 0 }), true);
  assert.is(asked(isFresh, { seconds: 1_735_740_000, nanos: 0, offset: 0 }), false);
  assert.is(asked(isFresh), false);
  assert.is(asked(expression('unless', isFresh)), false);
});

test('unless is true where its operand is false or cannot be evaluated', () => {
  const unless = expression('unless', expression('lt', attr('x'), value(5 as never)));
  assert.equal(
    [{ x: 3 }, { x: 7 }, { x: 'a' }, {}].map((row) => passes(unless, row)),
    [false, true, true, true],
  );
});

test('has is true for a present attribute, including null; a value other than a map has no fields', () => {
  assert.is(passes(expression('has', attr('x')), { x: null }), true);
  assert.is(passes(expression('not', expression('has', attr('x.y'))), { x: 'a' }), true);
  assert.is(passes(expression('not', expression('has', attr('x.y'))), {}), false);
});

test('has works for a field of an element, too', () => {
  const first = expression('index', attr('list'), value(0 as never));
  const named = expression('has', expression('get-field', first, { variable: 'name' }));
  assert.is(passes(named, { list: [{ name: null }] }), true);
  assert.is(passes(named, { list: [{ id: 1 }] }), false);
  assert.is(passes(named, { list: [] }), false);
});

test('only own properties are attributes', () => {
  assert.is(passes(expression('has', attr('constructor')), {}), false);
  assert.is(passes(expression('has', attr('__proto__')), {}), false);
});

test('an integer constant is an int where a double has no overload', () => {
  const long = expression('eq', expression('add', expression('size', attr('x')), value(1 as never)), value(3 as never));
  assert.is(passes(long, { x: 'ab' }), true);
});

test('a lambda binds its variables; three operands have two when the middle one is a plain name', () => {
  const t: Operand = { variable: 't' };
  const isX = expression('eq', t, value('x' as never));
  assert.is(passes(expression('exists', attr('l'), expression('lambda', isX, t)), { l: ['x'] }), true);
  const second = expression(
    'lambda',
    expression('eq', { variable: 'v' }, value('x' as never)),
    { variable: 'i' },
    { variable: 'v' },
  );
  assert.is(passes(expression('exists', attr('l'), second), { l: ['a', 'x'] }), true);
  const transformed = expression('transformList', attr('l'), expression('lambda', isX, expression('size', t), t));
  assert.is(passes(expression('eq', transformed, value([1] as never)), { l: ['x', 'y'] }), true);
});

test('one function name covers the address of a string and of a network', () => {
  const loopback = (operand: Operand): Operand => expression('isLoopback', expression('ip', operand));
  assert.is(passes(loopback(attr('x')), { x: '127.0.0.1' }), true);
  assert.is(passes(loopback(expression('cidr', attr('x'))), { x: '127.0.0.0/8' }), true);
});

test('an unknown operator selects nothing', () => {
  assert.is(passes(expression('launch', attr('x')), { x: true }), false);
});

test.run();
