import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../compile.js';
import { Source } from '../diagnostics/source.js';
import { invariant } from '../diagnostics/invariant.js';
import { printValue } from '../../tests/support/print-program.js';

const CONSTANTS = {
  limit: 5,
  word: 'a',
  yes: true,
  nil: null,
  list: ['a'],
  sizes: { small: 1, deep: { er: 'x' }, list: [1] },
};

/** An expression as it is after all passes. */
function optimised(expr: string): string {
  const rules = [{ actions: ['a'], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr } } }];
  const document = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'r', version: 'default', rules, constants: { local: CONSTANTS } },
  };
  const { program, diagnostics } = compile([new Source('r.yaml', JSON.stringify(document))]);
  const module = program?.modules[0];
  const condition =
    module?.kind === 'resource'
      ? module.rules[0]?.condition
      : invariant(diagnostics.map(({ message }) => message).join());
  return condition?.kind === 'expr' ? printValue(condition.value) : invariant('no expression');
}

function becomes(examples: Readonly<Record<string, string>>): void {
  for (const [expr, expected] of Object.entries(examples)) assert.is(optimised(expr), expected, expr);
}

test('scalar constants are inlined, including parts of maps; others are not', () => {
  becomes({
    'R.attr.n == C.limit': 'equals(resource.attr.n, 5.0)',
    'R.attr.n == C.nil': 'equals(resource.attr.n, null)',
    'R.attr.n == C.sizes.small': 'equals(resource.attr.n, 1.0)',
    'R.attr.n == C.sizes.deep.er': 'equals(resource.attr.n, "x")',
    'R.attr.n in C.list': 'inCollection(resource.attr.n, C.list)',
    'R.attr.n == C.sizes.missing': 'equals(resource.attr.n, C.sizes.missing)',
    'R.attr.n == C.sizes.constructor': 'equals(resource.attr.n, C.sizes.constructor)',
  });
});

test('constant expressions are computed', () => {
  becomes({
    'R.attr.n == 2 + 3 * 4': 'equals(resource.attr.n, 14)',
    'R.attr.s == "a" + "b"': 'equals(resource.attr.s, "ab")',
    'R.attr.s == C.word + "b"': 'equals(resource.attr.s, "ab")',
    'R.attr.ok == true && 1 < 2 == true': 'and(equals(resource.attr.ok, true), true)',
    'R.attr.n == size("abc")': 'equals(resource.attr.n, 3)',
    '(1 == 1 ? R.attr.a : R.attr.b) == 1': 'equals(resource.attr.a, 1)',
  });
});

test('one decisive operand decides, whatever the other is', () => {
  becomes({ 'R.attr.missing && 1 == 2': 'false', '1 == 1 || R.attr.missing': 'true' });
});

test('failing expressions stay and fail at runtime', () => {
  becomes({
    'R.attr.n == 1 / 0': 'equals(resource.attr.n, divide(1, 0))',
    'R.attr.n == C.limit + 1': 'equals(resource.attr.n, add(5.0, 1))',
  });
});

test('membership is decided for an empty list, and for a literal in it (docs/spec/conditions.md#constant-folding)', () => {
  becomes({
    'R.attr.x in []': 'false',
    '1 in [1, R.attr.missing]': 'true',
    '1.0 in [1, R.attr.missing]': 'true',
    '2 in [1, R.attr.x]': 'inCollection(2, [1, resource.attr.x])',
  });
});

test('an expression that reads the time is unchanged, except for an empty list', () => {
  becomes({
    'now() > timestamp(0) && 1 == 1': 'and(greaterThan(now(), toTimestamp(0)), equals(1, 1))',
    'now() == timestamp(0) || R.attr.x in []': 'or(equals(now(), toTimestamp(0)), false)',
  });
});

test.run();
