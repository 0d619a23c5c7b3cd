import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findExtent } from '../../compiler/ir/origins.js';
import { printValue } from '../support/print-program.js';
import type { Match, Program } from '../../compiler/ir/program.js';
import type { Value } from '../../compiler/ir/value.js';
import { parts } from '../../compiler/ir/visit.js';
import { foldValue } from '../../compiler/optimise/constants.js';
import { compileExpression, isDeclared } from '../../packages/cli/repl/compile-expression.js';
import { acceptedStore, FAMILIES } from '../support/cel/condition-stores.js';
import { compileTexts } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of stores of random conditions; SEED is the first seed. */
const STORES = rounds(4);
const CONDITIONS = 40;

const test = suite('places of expressions');

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`the text of a value compiles to that value: conditions ${name}`, () => {
    let placed = 0;
    for (let seed = SEED; seed < SEED + STORES; seed += 1) {
      const { compilation } = acceptedStore(family, new Random(seed), CONDITIONS);
      for (const { text, value } of expressionsOf(compilation.lowered as Program))
        placed += comparePlaces(text, value, []);
    }
    assert.ok(placed > STORES * CONDITIONS * 5, 'most values have a place');
  });
}

test('the place of an expression leads through the escapes and folds of YAML', () => {
  const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          all:
            of:
              - expr: "R.attr.a == \\"\\\\u0041\\" && R.attr.b"
              - expr: >-
                  R.attr.c &&
                  R.attr.d
`;
  const { lowered, diagnostics } = compileTexts({ 'album.yaml': policy });
  assert.equal(diagnostics, []);
  const values = expressionsOf(lowered as Program).flatMap((expression) => placesOf(expression));
  assert.equal(
    values.map(({ value, text }) => [printValue(value), text]),
    [
      ['and(equals(resource.attr.a, "A"), resource.attr.b)', 'R.attr.a == \\"\\\\u0041\\" && R.attr.b'],
      ['equals(resource.attr.a, "A")', 'R.attr.a == \\"\\\\u0041\\"'],
      ['resource.attr.a', 'R.attr.a'],
      ['"A"', '\\"\\\\u0041\\"'],
      ['resource.attr.b', 'R.attr.b'],
      ['and(resource.attr.c, resource.attr.d)', 'R.attr.c &&\n                  R.attr.d'],
      ['resource.attr.c', 'R.attr.c'],
      ['resource.attr.d', 'R.attr.d'],
    ],
  );
});

test.run();

interface AuthoredExpression {
  readonly text: string;
  readonly value: Value;
  readonly match: Match & { readonly kind: 'expr' };
}

function expressionsOf({ modules }: Program): readonly AuthoredExpression[] {
  return modules.flatMap((module) =>
    'rules' in module
      ? module.rules.flatMap(({ condition }) => (condition === undefined ? [] : leaves(condition)))
      : [],
  );
}

function leaves(match: Match): readonly AuthoredExpression[] {
  return match.kind === 'expr'
    ? [{ text: match.expression.text, value: match.value, match }]
    : match.of.flatMap(leaves);
}

/** Compares each value that has a place with the value that its text alone has; returns their number. */
function comparePlaces(text: string, value: Value, locals: readonly string[]): number {
  const extent = findExtent(value);
  // `.R` is the resource even where a variable is called R, but not in an expression that is compiled alone.
  const isComparable = extent !== undefined && !locals.some(isDeclared);
  if (isComparable) {
    const alone = compileExpression(text.slice(extent.start, extent.end), locals);
    assert.is(
      alone.kind === 'value' ? printValue(alone.value) : alone.problems[0]?.message,
      printValue(foldValue(value)),
      `${text.slice(extent.start, extent.end)} of ${text}`,
    );
  }
  const inner = value.kind === 'macro' ? [...locals, ...value.variables] : locals;
  const below = parts(value).map((part) => comparePlaces(text, part, inner));
  return below.reduce((sum, count) => sum + count, isComparable ? 1 : 0);
}

/** The values of an expression that have a place, with the text of the file there. */
function placesOf({ match }: AuthoredExpression): readonly { readonly value: Value; readonly text: string }[] {
  const all = (value: Value): readonly Value[] => [value, ...parts(value).flatMap(all)];
  return all(match.value).flatMap((value) => {
    const extent = findExtent(value);
    if (extent === undefined || value.kind === 'field') return [];
    const { source, start, end } = match.expression.spanOf(extent.start, extent.end);
    return [{ value, text: source.text.slice(start, end) }];
  });
}
