import { createEngine, type Engine, type EngineOptions, type PlanRequest } from '../../runtime/engine/index.js';
import type { PolicyBundle, TracedBundle } from '../../runtime/policy/index.js';
import { FLAT, REFERENCE, selects, type Writing } from '../../runtime/residual/index.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest } from '../support/oracle/random-store.js';
import { hostileAttributes } from '../support/sql/hostile-rows.js';
import { QUESTIONS } from './combinations.js';
import { PLACES, TYPED, typedRow } from '../support/mutants/conditions.js';

/** A compiled store. */
export interface StoreModule {
  readonly policies: PolicyBundle;
  readonly traced: () => Promise<TracedBundle>;
}

/** The first row on which plan and check differ, and the comparison that noticed it; undefined when none did. */
export interface Caught {
  readonly by: string;
  readonly detail: string;
}

/**
 * Compares plans with checks, over a few thousand rows to be fast. The stores are those of `storesOf`; `hazards` is the
 * number of hazardous conditions in the first one.
 */
export async function probe(
  [conditions, combinations, ...randomStores]: readonly StoreModule[],
  hazards: number,
): Promise<Caught | undefined> {
  const { policies } = conditions as StoreModule;
  return (
    probeConditions(policies, {
      by: 'typed conditions',
      prefix: 'typed',
      count: TYPED.length,
      rows: rowsOf(40, (random) => typedRow((of) => random.pick(of))),
    }) ??
    probeCombinations((combinations as StoreModule).policies, 'combinations', {}) ??
    probeCombinations((combinations as StoreModule).policies, 'combinations, strict evaluation', {
      strictEvaluation: true,
      traced: await (combinations as StoreModule).traced(),
    }) ??
    (await probeStores(randomStores, 'random stores', async () => ({}))) ??
    (await probeStores(randomStores, 'random stores, strict evaluation', async ({ traced }) => ({
      strictEvaluation: true,
      traced: await traced(),
    }))) ??
    probeConditions(policies, {
      by: 'hazardous conditions',
      prefix: 'hazard',
      count: hazards,
      rows: rowsOf(16, hazardousRow),
    })
  );
}

const EXACT: Writing = { shapes: 'flat', nots: 'exact' };
/**
 * The number of filter variants, from the first, that must select every allowed row. The reference's variant may select
 * fewer.
 */
const EXACT_WRITINGS = 2;
const PRINCIPAL = {
  id: 'u1',
  roles: ['user'],
  attr: { no: false, none: [], teams: ['a', 'b'], levels: { a: 1, b: 2, c: 3 } },
};
/** 2025-01-01T12:00:00Z. */
const CLOCK = () => ({ seconds: 1_735_732_800, nanos: 0, offset: 0 });

type Attributes = { readonly [name: string]: unknown };

interface Conditions {
  readonly by: string;
  readonly prefix: string;
  readonly count: number;
  readonly rows: readonly Attributes[];
}

function probeConditions(policies: PolicyBundle, { by, prefix, count, rows }: Conditions): Caught | undefined {
  const engines = [EXACT, FLAT, REFERENCE].map((plan) => createEngine(policies, { plan, clock: CLOCK }));
  for (const place of Object.keys(PLACES)) {
    for (let index = 0; index < count; index += 1) {
      const found = differs(engines, {
        by: `${by}, ${place}`,
        request: { principal: PRINCIPAL, resource: { kind: `${prefix}_${place}` }, actions: [`a${index}`] },
        rows,
      });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function probeCombinations(policies: PolicyBundle, by: string, options: EngineOptions): Caught | undefined {
  const engines = [EXACT, FLAT].map((plan) => createEngine(policies, { ...options, plan }));
  const { principals, roles, scopes, actions, flags } = QUESTIONS;
  const rows = rowsOf(40, (random) =>
    Object.fromEntries(flags.flatMap((flag) => (random.chance(0.1) ? [] : [[flag, random.chance(0.5)]]))),
  );
  for (const id of principals) {
    for (const held of roles) {
      for (const scope of scopes) {
        for (const action of actions) {
          const found = differs(engines, {
            by,
            request: { principal: { id, roles: held }, resource: { kind: 'case', scope }, actions: [action] },
            rows,
          });
          if (found !== undefined) return found;
        }
      }
    }
  }
  return undefined;
}

async function probeStores(
  stores: readonly StoreModule[],
  by: string,
  optionsOf: (store: StoreModule) => Promise<EngineOptions>,
): Promise<Caught | undefined> {
  for (const [index, store] of stores.entries()) {
    const random = new Random(index + 1001);
    const options = {
      ...(await optionsOf(store)),
      defaultScope: random.pick(['', '', 'a']),
      lenientScopeSearch: random.chance(0.4),
    };
    const engines = [EXACT, FLAT, REFERENCE].map((plan) => createEngine(store.policies, { ...options, plan }));
    for (let i = 0; i < 24; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const { kind, scope, policyVersion } = resource;
      const attr = random.chance(0.25) ? randomAttributes(random) : {};
      const rows = Array.from({ length: 20 }, () => ({ ...randomAttributes(random), ...attr }));
      const found = differs(engines, {
        by,
        request: {
          principal,
          resource: { kind, scope, policyVersion, attr },
          actions: actions.slice(0, random.pick([1, 1, 2])),
        },
        rows,
      });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

interface Question {
  readonly by: string;
  readonly request: PlanRequest;
  readonly rows: readonly Attributes[];
}

function differs(engines: readonly Engine[], { by, request, rows }: Question): Caught | undefined {
  const plans = engines.map((engine) => engine.plan(request));
  const isWhole = plans.every(({ unplanned }) => unplanned.length === 0);
  for (const attr of rows) {
    const resource = { ...request.resource, id: 'r', attr };
    const allowed = request.actions.every((action) =>
      (engines[0] as Engine).isAllowed({ principal: request.principal, resource, action }),
    );
    for (const [position, { filter, filterDebug }] of plans.entries()) {
      // The reference PDP leaves the time to the evaluator of the filter.
      if (filterDebug.includes('(timeSince ')) continue;
      const selected = selects(filter, { id: 'r', attr, policyVersion: request.resource.policyVersion });
      if (selected === allowed || (!selected && (position >= EXACT_WRITINGS || !isWhole))) continue;
      return {
        by,
        detail: `${selected ? 'selects what check denies' : 'does not select what check allows'}: ${JSON.stringify({ request, attr })}, ${filterDebug}`,
      };
    }
  }
  return undefined;
}

function rowsOf(count: number, rowOf: (random: Random) => Attributes): readonly Attributes[] {
  const random = new Random(11);
  return Array.from({ length: count }, () => rowOf(random));
}

function hazardousRow(random: Random): Attributes {
  const { s, b, n, flag, list, items, map } = hostileAttributes(random);
  return Object.fromEntries(
    Object.entries({ x: s, y: b, n, flag, list, items, map }).filter(([, value]) => value !== undefined),
  );
}
