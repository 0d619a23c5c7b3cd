import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { and, type Formula, hasRole, not } from '../../packages/analysis/formula/formula.js';
import { FormulaKeys } from '../../packages/analysis/formula/keys.js';
import { formatStructure } from '../../packages/analysis/formula/structure.js';
import { Booleans } from '../../packages/analysis/solve/booleans.js';
import type { Predicate } from '../../compiler/ir/predicate.js';
import type { Module } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileTexts } from '../support/compiled.js';

const test = suite('formulas as booleans');

const IMPOSSIBLE = [
  'R.attr.status == "a" && R.attr.status == "b"',
  'R.attr.n == 1 && R.attr.n != 1',
  'R.attr.deep.n < 1 && !has(R.attr.deep)',
  'R.attr.deep.n < 1 && !has(R.attr.deep.n)',
  'R.attr.x == R.attr.y && !(R.attr.y == R.attr.x)',
  'R.attr.x == timestamp(R.attr.y) && timestamp(R.attr.y) != R.attr.x',
  'hierarchy(R.attr.x) == hierarchy(R.attr.y) && !(hierarchy(R.attr.y) == hierarchy(R.attr.x))',
  '!(R.attr.x in ["a", "b"]) && R.attr.x == "b"',
  'V.tag == "a" && "b" == V.tag',
];
/** The `==` of these values depends on the side, may fail, or holds for several strings. */
const OPAQUE = [
  'spiffeID(P.id) == R.attr.owner && !(R.attr.owner == spiffeID(P.id))',
  'R.attr.owner != spiffeID(P.id) && spiffeID(P.id) == R.attr.owner',
  '!(R.attr.y == hierarchy(R.attr.x)) && !(!(hierarchy(R.attr.x) == R.attr.y))',
  '!(dyn(hierarchy(R.attr.x)) in ["a", "b"]) && !(!(dyn(hierarchy(R.attr.x)) == "a") && !(dyn(hierarchy(R.attr.x)) == "b"))',
  'dyn(spiffeTrustDomain(R.attr.x)) == "a.b" && dyn(spiffeTrustDomain(R.attr.x)) == "spiffe://a.b/c"',
  'V.listed == [R.attr.y] && !([R.attr.y] == V.listed)',
  'optional.of(spiffeID(R.attr.x)) == optional.of(R.attr.y) && optional.of(R.attr.y) != optional.of(spiffeID(R.attr.x))',
];
const POSSIBLE = [
  'R.attr.status == "a" && R.attr.other == "b"',
  'R.attr.n == 1 && R.attr.n == 2',
  'R.attr.deep.n < 1 && has(R.attr.deep)',
];

test('a few facts about comparisons are known, whatever else was asked before', () => {
  const asked = new Booleans(new FormulaKeys());
  for (let n = 0; n < 50; n += 1) asked.isImpossible(holding(`R.attr.n == ${n} && R.attr.status == "status ${n}"`));
  for (const booleans of [new Booleans(new FormulaKeys()), asked]) {
    for (const expr of IMPOSSIBLE) assert.ok(booleans.isImpossible(holding(expr)), expr);
    for (const expr of [...POSSIBLE, ...OPAQUE]) assert.not(booleans.isImpossible(holding(expr)), expr);
  }
});

test('a fact about two formulas is known when both are asked about', () => {
  const booleans = new Booleans(new FormulaKeys());
  const [one, other] = [holding('R.attr.status == "a"'), holding('R.attr.status == "b"')];
  for (const formula of [one, other]) assert.not(booleans.isImpossible(formula));
  assert.ok(booleans.isImpossible(and(one, other)));
  assert.not(booleans.isImpossible(and(one, not(other))));
});

test('assignments are about the formula, and not about those that were asked before', () => {
  const formula = and(hasRole('user'), holding('R.attr.n < 1 && R.attr.status == "a"'));
  const alone = assignmentsOf(new Booleans(new FormulaKeys()), formula);
  const booleans = new Booleans(new FormulaKeys());
  for (let n = 2; n < 50; n += 1) booleans.isImpossible(holding(`R.attr.n < ${n} && R.attr.status == "status ${n}"`));
  assert.equal(assignmentsOf(booleans, formula), alone);
  assert.is(alone.length, 1);
});

test.run();

/** That a condition holds. */
function holding(expr: string): Formula {
  const rule = { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } };
  const text = JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      variables: { local: { tag: 'R.attr.tag', listed: '[spiffeID(R.attr.x)]' } },
      rules: [rule],
    },
  });
  const { lowered } = compileTexts({ 'doc.yaml': text });
  if (lowered === undefined) throw new Error(`refused: ${expr}`);
  const [module] = fold(lowered).modules as readonly [Module];
  const condition = module.kind === 'resource' ? module.rules[0]?.condition : undefined;
  if (condition === undefined) throw new Error('no condition');
  return { kind: 'holds', condition, module, failedIsNull: false };
}

/** Each as a sorted list of what is true and what is false. */
function assignmentsOf(booleans: Booleans, formula: Formula): readonly (readonly string[])[] {
  return [...booleans.assignments(formula)].map((assignment) =>
    assignment
      .map(([{ role, predicate }, value]) => `${role ?? formatStructure(predicate as Predicate)} is ${value}`)
      .sort(),
  );
}
