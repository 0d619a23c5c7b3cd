import type { createEngine, Engine, PlanRequest } from '../../../runtime/engine/index.js';
import type { JsonValue } from '../../../compiler/ast/policy.js';
import { compile } from '../../../compiler/compile.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { ALLOW } from '../../../runtime/policy/index.js';
import { Random } from '../oracle/random.js';
import { randomRow, randomRules, randomSchema, type SchemaObject } from './random-schemas.js';
import { loaded } from '../compiled.js';

/** A random schema, and its own policy for a resource kind that uses it. */
export interface Case {
  readonly kind: string;
  readonly schema: SchemaObject;
  readonly rules: readonly JsonValue[];
  readonly random: Random;
}

/** The number that is compiled together. */
const BATCH = 40;

/** Cases that were compiled together. */
interface Batch {
  readonly cases: readonly Case[];
  readonly policies: Parameters<typeof createEngine>[0];
  readonly program: ReturnType<typeof compile>['program'];
  readonly lowered: ReturnType<typeof compile>['lowered'];
}

/**
 * Random schemas from a seed on, with the policies of a batch at a time.
 * @param ofPrincipals whether principals have a schema too.
 */
export async function* batches(seed: number, count: number, ofPrincipals = true): AsyncGenerator<Batch> {
  for (let first = seed; first < seed + count; first += BATCH) {
    const cases = Array.from({ length: Math.min(BATCH, seed + count - first) }, (_, index) => caseOf(first + index));
    const compilation = compiled(cases, ofPrincipals);
    const { policies } = await loaded(compilation);
    yield { cases, policies, program: compilation.program, lowered: compilation.lowered };
  }
}

const PRINCIPAL = { type: 'object', required: ['level'], properties: { level: { type: 'integer' } } };

function caseOf(seed: number): Case {
  const random = new Random(seed * 7919);
  return { kind: `k${seed}`, schema: randomSchema(random), rules: randomRules(random), random };
}

function compiled(cases: readonly Case[], ofPrincipals: boolean): ReturnType<typeof compile> {
  const sources = cases.map(({ kind, rules }, index) => {
    const schemas = {
      ...(ofPrincipals && { principalSchema: { ref: 'authz:///principal.json' } }),
      resourceSchema: { ref: `authz:///${kind}.json`, ignoreWhen: { actions: ['list'] } },
    };
    return new Source(
      `p${index}.yaml`,
      JSON.stringify({
        apiVersion: 'api.authz.dev/v1',
        resourcePolicy: { resource: kind, version: 'default', schemas, rules },
      }),
    );
  });
  const texts = new Map([
    ...(ofPrincipals ? [['principal.json', JSON.stringify(PRINCIPAL)] as const] : []),
    ...cases.map(({ kind, schema }) => [`${kind}.json`, JSON.stringify(schema)] as const),
  ]);
  return compile(sources, new Diagnostics(), { schemaTexts: texts });
}

/** A request about the rows of a case, sometimes with an attribute that all rows have. */
export function requestOf({ kind, schema, random }: Case): PlanRequest & { readonly listed: SchemaObject } {
  const known = random.chance(0.3) ? randomRow(random, schema) : {};
  const listed = Object.fromEntries(Object.entries(known).slice(0, 1));
  const level = random.chance(0.95) ? 1 : 'high';
  const principal = { id: 'alice', roles: ['user'], attr: random.chance(0.98) ? { level } : {} };
  const actions = random.pick([['view'], ['edit'], ['list'], ['view', 'edit'], ['view', 'list']]);
  return { principal, resource: { kind, ...(Object.keys(listed).length > 0 && { attr: listed }) }, actions, listed };
}

/** Whether check allows all actions of a request on a row, and whether the row violates its schema. */
export function checkRow(
  engine: Engine,
  { principal, resource, actions = [] }: PlanRequest,
  row: SchemaObject,
): { readonly isAllowed: boolean; readonly isInvalid: boolean } {
  const [result] = engine.check({
    principal,
    resources: [{ resource: { kind: resource.kind, id: 'r', attr: row }, actions }],
  });
  return {
    isAllowed: result?.actions.every(({ effect }) => effect === ALLOW) === true,
    isInvalid: (result?.validationErrors.length ?? 0) > 0,
  };
}
