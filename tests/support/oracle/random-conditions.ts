import type { Match, RuleBody } from './documents.js';
import type { Random } from './random.js';

/** What the texts of one policy may read besides the request. */
export interface Names {
  readonly variables: readonly string[];
  readonly constants: readonly string[];
  /** Whether `runtime` may be read; variables must not: their values go stale across policies (6.2). */
  readonly runtime: boolean;
}

/** A condition of nested `all`, `any` and `none`. */
export function randomMatch(random: Random, names: Names, depth = 2): Match {
  if (depth === 0 || random.chance(0.6)) return { expr: randomExpression(random, names, 1) };
  const of = random.times(1, 3, () => randomMatch(random, names, depth - 1));
  return random.pick([{ all: { of } }, { any: { of } }, { none: { of } }] satisfies Match[]);
}

/** A text of the family that tiny-cel.ts evaluates. */
export function randomExpression(random: Random, names: Names, depth: number): string {
  if (depth === 0 || random.chance(0.7)) return randomLeaf(random, names);
  const inner = (): string => randomExpression(random, names, depth - 1);
  return random.pick([
    () => `!(${inner()})`,
    () => `${atom(inner())} && ${atom(inner())}`,
    () => `${atom(inner())} || ${atom(inner())}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
  ])();
}

/** The optional parts of a rule. */
export function randomBody(
  random: Random,
  names: Names,
  options: { readonly outputs: boolean; readonly conditions: number },
): RuleBody {
  return {
    ...(random.chance(options.conditions) ? { condition: { match: randomMatch(random, names) } } : {}),
    ...(options.outputs && random.chance(0.4) ? { output: randomOutput(random, names) } : {}),
  };
}

function randomOutput(random: Random, names: Names): NonNullable<RuleBody['output']> {
  const text = (): string =>
    random.pick([() => '"said"', () => 'R.attr.a', () => '"a" + R.attr.a', () => randomExpression(random, names, 0)])();
  return random.pick([
    () => ({ expr: text() }),
    () => ({ when: { ruleActivated: text() } }),
    () => ({ when: { conditionNotMet: text() } }),
    () => ({ when: { ruleActivated: text(), conditionNotMet: text() } }),
  ])();
}

function randomLeaf(random: Random, { variables, constants, runtime }: Names): string {
  const leaves = [
    () => `R.attr.${random.pick(ATTRIBUTES)} == "${random.pick(LETTERS)}"`,
    () => `R.attr.${random.pick(ATTRIBUTES)} != "${random.pick(LETTERS)}"`,
    () => `R.attr.n < ${random.below(10)}`,
    () => `R.attr.n <= P.attr.n`,
    () => 'P.id == R.attr.owner',
    () => 'R.attr.missing',
    () => 'R.attr.flag',
    () => 'R.attr.a',
    () => `has(R.attr.${random.pick(ATTRIBUTES)})`,
    () => `R.attr.a in ["x", "y"]`,
    () =>
      `R.attr.${random.pick(ATTRIBUTES)} ${random.pick(['==', '!='])} (${random.pick(['P.attr.n < 5', '"admin" in P.roles', 'P.attr.missing'])} ${random.pick(['||', '&&'])} R.attr.${random.pick(['a', 'b', 'flag'])})`,
    () => `R.attr.${random.pick(ATTRIBUTES)} in [P.attr.n < 5 || R.attr.a, "x"]`,
    () => `(R.attr.flag ? ${random.below(10)} : P.attr.n) ${random.pick(['<', '<='])} R.attr.n`,
    () => `"${random.pick(['u1', 'admin'])}" in P.roles`,
    () => `R.scope == "${random.pick(['', 'a'])}"`,
    () => (random.chance(0.5) ? 'true' : 'false'),
    ...variables.flatMap((name) => [() => `V.${name}`, () => `V.${name}`]),
    ...constants.map((name) => () => `C.${name} == R.attr.a`),
    ...(runtime ? [() => `"${random.pick(DERIVED)}" in runtime.effectiveDerivedRoles`] : []),
  ];
  return random.pick(leaves)();
}

function atom(text: string): string {
  return /&&|\|\|/.test(text) && !text.startsWith('!') ? `(${text})` : text;
}

/** The names of derived roles in random stores. */
export const DERIVED: readonly string[] = ['d1', 'd2', 'd3'];

const ATTRIBUTES = ['a', 'b'];
const LETTERS = ['x', 'y', 'z'];
