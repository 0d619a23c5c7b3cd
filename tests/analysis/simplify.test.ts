import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FormulaKeys } from '../../packages/analysis/formula/keys.js';
import { and, type Formula, not, or } from '../../packages/analysis/formula/formula.js';
import { listLeaves, simplified } from '../../packages/analysis/formula/simplify.js';
import { wordFormula } from '../../packages/analysis/matrix/words.js';
import type { Match, Module, Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileTexts } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

const RUNS = rounds(300);

const test = suite('simplified formulas');

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((role): Formula => ({ kind: 'role', role })) as [
  Formula,
  Formula,
  Formula,
  Formula,
];

test('what is said twice is said once', () => {
  assert.is(words(or(and(A, B), and(A, not(B)))), 'has role a');
  assert.is(words(or(A, and(A, B))), 'has role a');
  assert.is(words(or(A, and(not(A), B))), 'has role a or has role b');
  assert.is(words(or(and(A, B), and(A, C))), 'has role a and (has role b or has role c)');
  assert.is(words(and(or(A, B), not(C), not(C))), '(has role a or has role b) and not (has role c)');
});

test('what is always or never true is a constant', () => {
  assert.is(simplify(or(A, not(A))), true);
  assert.is(simplify(and(A, or(B, C), not(B), not(C))), false);
});

test('the shorter of a formula and the negation of its opposite is taken', () => {
  assert.is(words(not(and(A, B, C))), 'not (has role a and has role b and has role c)');
});

test('random formulas keep their truth values, and do not grow', () => {
  const random = new Random(SEED);
  const atoms = [A, B, C, D];
  const make = (depth: number): Formula => {
    if (depth === 0 || random.chance(0.2)) return random.pick(atoms);
    const operands = Array.from({ length: 1 + random.below(3) }, () => make(depth - 1));
    return random.chance(0.25) ? not(make(depth - 1)) : random.chance(0.5) ? and(...operands) : or(...operands);
  };
  for (let run = 0; run < RUNS; run += 1) {
    const formula = make(4);
    const short = simplify(formula);
    assert.ok(listLeaves(short).length <= listLeaves(formula).length);
    for (let bits = 0; bits < 16; bits += 1) {
      const hasRole = (role: string): boolean => ((bits >> 'abcd'.indexOf(role)) & 1) === 1;
      assert.is(truth(short, hasRole), truth(formula, hasRole), JSON.stringify(formula));
    }
  }
});

test('conditions are taken apart at && and ||, but not at !, whose operand may fail', () => {
  const [match, module] = conditionOf('R.attr.a && (R.attr.b || !R.attr.c)');
  const holds = (condition: Match): Formula => ({ kind: 'holds', condition, module, failedIsNull: false });
  assert.is(words(holds(match)), 'R.attr.a and (R.attr.b or !R.attr.c)');
  const [other] = conditionOf('R.attr.c');
  assert.is(words(and(holds(match), not(holds(other)))), 'R.attr.a and (R.attr.b or !R.attr.c) and not R.attr.c');
  assert.is(words(holds({ kind: 'none', of: [match, other] })).slice(0, 5), 'not (');
});

test('a formula with too many leaves stays as it is', () => {
  const many = or(...Array.from({ length: 120 }, (_, index): Formula => ({ kind: 'role', role: `r${index}` })));
  assert.is(listLeaves(simplify(many)).length, 120);
});

test.run();

function simplify(formula: Formula): Formula {
  return simplified(formula, new FormulaKeys(), () => false);
}

function words(formula: Formula): string {
  return wordFormula(simplify(formula), () => undefined);
}

function truth(formula: Formula, hasRole: (role: string) => boolean): boolean {
  if (typeof formula === 'boolean') return formula;
  switch (formula.kind) {
    case 'and':
      return formula.operands.every((operand) => truth(operand, hasRole));
    case 'or':
      return formula.operands.some((operand) => truth(operand, hasRole));
    case 'not':
      return !truth(formula.operand, hasRole);
    case 'role':
      return hasRole(formula.role);
    case 'holds':
      throw new Error('no condition is expected');
  }
}

function conditionOf(expr: string): readonly [Match, Module] {
  const { lowered } = compileTexts({
    'note.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'note',
        version: 'default',
        rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } }],
      },
    }),
  });
  const [module] = fold(lowered as Program).modules;
  assert.ok(module?.kind === 'resource');
  return [(module as Module & { kind: 'resource' }).rules[0]?.condition as Match, module as Module];
}
