import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelError } from '../support/oracle/context.js';
import { selectsRow } from '../support/oracle/filter-rows.js';
import { evaluate, NotJudged, type WireOperand } from '../support/oracle/operands.js';

const test = suite('interpreter of expressions for tests');

const x: WireOperand = { variable: 'request.resource.attr.x' };

function call(operator: string, ...operands: readonly WireOperand[]): WireOperand {
  return { expression: { operator, operands } };
}

function valueOf(operand: WireOperand, attr: object): unknown {
  return evaluate(operand, (name) => (name === 'request' ? { resource: { attr } } : undefined));
}

function outcomeOf(operand: WireOperand, value: unknown): unknown {
  try {
    return valueOf(operand, { x: value });
  } catch (error) {
    if (error instanceof ModelError) return 'fails';
    throw error;
  }
}

test('an unknown operator, variable or number type is not evaluated, even where it does not matter', () => {
  const unknown = call('sortBy', x);
  assert.throws(
    () => selectsRow(unknown, { id: 'r', attr: {} }),
    (error: unknown) => error instanceof NotJudged,
  );
  assert.throws(
    () => selectsRow(call('or', unknown, { value: true }), { id: 'r', attr: {} }),
    (error: unknown) => error instanceof NotJudged,
  );
  assert.throws(
    () => valueOf({ variable: 'principal.id' }, {}),
    (error: unknown) => error instanceof NotJudged,
  );
  const chosen = call('if', { value: true }, { value: 1 }, { value: 2 });
  assert.throws(
    () => valueOf(call('add', call('size', x), chosen), { x: [] }),
    (error: unknown) => error instanceof NotJudged,
  );
});

test('kinds of numbers mix in comparisons and not in arithmetic (docs/spec/conditions.md#arithmetic)', () => {
  assert.is(outcomeOf(call('eq', call('size', x), { value: 2 }), 'é😀'), true);
  assert.is(outcomeOf(call('add', x, { value: 1 }), 2.5), 3.5);
  assert.is(outcomeOf(call('add', call('int', x), { value: 1 }), 2.5), 3n);
  assert.is(outcomeOf(call('mod', call('int', x), { value: 2 }), -7), -1n);
  assert.is(outcomeOf(call('mod', x, { value: 2 }), 7), 'fails');
  assert.is(outcomeOf(call('div', call('int', x), { value: 0 }), 7), 'fails');
  assert.is(outcomeOf(call('add', call('int', x), { value: 1 }), '9223372036854775807'), 'fails');
});

test('durations are exact nanoseconds (docs/spec/conditions.md#durations)', () => {
  const nanoseconds = call('int', call('duration', x));
  const cases: readonly (readonly [string, unknown])[] = [
    ['1h30m', 5_400_000_000_000n],
    ['-1.5s', -1_500_000_000n],
    ['1.0000000019s', 1_000_000_001n],
    ['.5ms1µs', 501_000n],
    ['-0', 0n],
    ['2562047h47m16.854775807s', 9_223_372_036_854_775_807n],
    ['2562047h47m16.854775808s', 'fails'],
    ['5', 'fails'],
    ['1d', 'fails'],
    ['.s', 'fails'],
    ['', 'fails'],
  ];
  for (const [text, expected] of cases) assert.is(outcomeOf(nanoseconds, text), expected, text);
});

test('hierarchies compare by their levels (docs/spec/conditions.md#hierarchy-functions)', () => {
  const holding = (a: unknown, b: unknown): string =>
    ['ancestorOf', 'descendentOf', 'immediateParentOf', 'immediateChildOf', 'overlaps', 'siblingOf', 'eq']
      .filter((operator) => valueOf(call(operator, call('hierarchy', x), call('hierarchy', { value: b })), { x: a }))
      .join(' ');
  assert.is(holding('a.b', 'a.b.c'), 'ancestorOf immediateParentOf overlaps');
  assert.is(holding('a.b.c.d', 'a.b'), 'descendentOf overlaps');
  assert.is(holding('a.b', 'a.c'), 'siblingOf');
  assert.is(holding('a.b', ['a', 'b']), 'overlaps siblingOf eq');
  assert.is(holding('ab', 'a'), 'siblingOf');
  assert.is(outcomeOf(call('ancestorOf', call('hierarchy', x), { value: 'a' }), 'a'), 'fails');
  assert.is(outcomeOf(call('eq', call('hierarchy', x), { value: 'a' }), 'a'), 'fails');
  assert.is(outcomeOf(call('ne', call('hierarchy', x), { value: 'a' }), 'a'), true);
});

test('the middle operand of a lambda is a variable unless it is bound (docs/spec/plans.md#operands)', () => {
  const twoVariables = call('lambda', { variable: 'v' }, { variable: 'k' }, { variable: 'v' });
  assert.equal(outcomeOf(call('transformList', x, twoVariables), { a: 1, b: 2 }), [1, 2]);
  const twoBodies = call(
    'lambda',
    call('gt', { variable: 't.n' }, { value: 1 }),
    { variable: 't.n' },
    { variable: 't' },
  );
  assert.equal(outcomeOf(call('transformList', x, twoBodies), [{ n: 1 }, { n: 2 }]), [2]);
});

test.run();
