import type { Attributes } from '../../../runtime/policy/index.js';
import { compileTexts } from '../compiled.js';
import { PLACES } from '../mutants/conditions.js';
import type { Random } from '../oracle/random.js';
import { CONSTANTS, randomExpression, VARIABLES } from './differential/random-expressions.js';
import { randomRequest } from './differential/random-requests.js';
import { randomCondition, randomPrincipal, randomRow, randomVariables } from './random-values.js';

/** The time of requests. Filters write a time to the millisecond (docs/spec/plans.md#d-16-time). */
export const NOW = { seconds: 1_700_000_000, nanos: 123_000_000, offset: 0 };

/** The globals that conditions read. */
export const GLOBALS: Attributes = {
  limit: 10,
  env: 'test',
  ratio: 1.5,
  tags: ['a', 1],
  nested: { deep: 2 },
  on: true,
  nothing: null,
};

/** A family of conditions, with matching requests. */
export interface Family {
  readonly condition: (random: Random) => string;
  readonly variables: (random: Random) => { readonly [name: string]: string };
  readonly constants: { readonly [name: string]: unknown };
  readonly principal: (random: Random) => Attributes;
  readonly row: (random: Random) => Attributes;
}

export const FAMILIES: { readonly [name: string]: Family } = {
  'of values': {
    condition: randomCondition,
    variables: randomVariables,
    constants: {},
    principal: randomPrincipal,
    row: randomRow,
  },
  'of every sort': {
    condition: randomExpression,
    variables: () => VARIABLES,
    constants: CONSTANTS,
    principal: (random) => randomRequest(random).principal.attr,
    row: (random) => randomRequest(random).resource.attr,
  },
};

/** Policies with one condition each, in every position of `PLACES`. */
export interface ConditionStore {
  readonly compilation: ReturnType<typeof compileTexts>;
  readonly conditions: readonly (readonly [index: number, condition: string])[];
  readonly refused: number;
}

/**
 * A policy `kind0`, `kind1`, ... for each of `count` random conditions; those that the compiler rejects are left out.
 */
export function acceptedStore(family: Family, random: Random, count: number): ConditionStore {
  const conditions = Array.from({ length: count }, () => family.condition(random));
  const variables = family.variables(random);
  const texts = conditions.map((expr, index) => {
    const rules = Object.entries(PLACES).flatMap(([place, rulesOf]) => rulesOf(expr, place));
    const resourcePolicy = {
      resource: `kind${index}`,
      version: 'default',
      variables: { local: variables },
      constants: { local: family.constants },
      rules,
    };
    return [`${index}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy })] as const;
  });
  const first = compileTexts(Object.fromEntries(texts));
  if (first.program !== undefined) return { compilation: first, conditions: [...conditions.entries()], refused: 0 };
  const refused = new Set(
    first.diagnostics.filter(({ severity }) => severity === 'error').map(({ source }) => source?.path),
  );
  const left = texts.filter(([path]) => !refused.has(path));
  const accepted = [...conditions.entries()].filter(([index]) => !refused.has(`${index}.yaml`));
  return { compilation: compileTexts(Object.fromEntries(left)), conditions: accepted, refused: refused.size };
}
