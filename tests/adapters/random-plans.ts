import { createEngine } from '../../runtime/engine/index.js';
import type { Filter, JsonValue } from '../../runtime/residual/filters.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { PLACES } from '../support/mutants/conditions.js';
import { Random } from '../support/oracle/random.js';
import { PRINCIPAL } from './conformance-conditions.js';
import { randomCondition } from './random-conditions.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random conditions, and the first seed. */
const CONDITIONS = rounds(80);

export interface StoredRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: JsonValue };
}

/** A plan of a random condition, as a client receives it. */
export interface RandomPlan {
  readonly name: string;
  readonly filter: Filter;
  /** Whether it has all rules; those without a form as a filter are left out, so it may select too few rows. */
  readonly isWhole: boolean;
  isAllowed(row: StoredRow): boolean;
}

/** Random conditions in each place, and random rows. */
export async function randomPlans(
  attributes: (random: Random) => StoredRow['attr'],
  condition: (random: Random) => string = (random) => randomCondition(random, 3),
): Promise<{ readonly rows: readonly StoredRow[]; readonly plans: readonly RandomPlan[] }> {
  const random = new Random(SEED);
  const rows = Array.from({ length: 60 }, (_, index) => ({ id: `r${index}`, attr: attributes(random) }));
  const conditions = Array.from({ length: CONDITIONS }, () => condition(random));
  const texts = conditions.map((expr, index) => {
    const rules = Object.entries(PLACES).flatMap(([place, rulesOf]) => rulesOf(expr, place));
    const resourcePolicy = { resource: `kind${index}`, version: 'default', rules };
    return [`${index}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy })] as const;
  });
  const refused = new Set(
    compileTexts(Object.fromEntries(texts)).diagnostics.flatMap(({ severity, source }) =>
      severity === 'error' && source !== undefined ? [source.path] : [],
    ),
  );
  const { policies } = await loaded(compileTexts(Object.fromEntries(texts.filter(([path]) => !refused.has(path)))));
  const engine = createEngine(policies);
  const plans = conditions.flatMap((expr, index) => {
    if (refused.has(`${index}.yaml`)) return [];
    return Object.keys(PLACES).map((place): RandomPlan => {
      const kind = `kind${index}`;
      const { filter, unplanned } = engine.plan({ principal: PRINCIPAL, resource: { kind }, actions: [place] });
      return {
        name: `seed ${SEED}: ${place} ${expr}`,
        filter: JSON.parse(JSON.stringify(filter)) as Filter,
        isWhole: unplanned.length === 0,
        isAllowed: ({ id, attr }) =>
          engine.isAllowed({ principal: PRINCIPAL, resource: { kind, id, attr }, action: place }),
      };
    });
  });
  return { rows, plans };
}

/** What a store did with random plans. */
export interface RandomTally {
  plans: number;
  refused: number;
  selected: number;
  readonly overGrants: string[];
  readonly underGrants: string[];
}

/** Compares what a store selects with check; `undefined` is a refusal. */
export function compared(
  plans: readonly RandomPlan[],
  rows: readonly StoredRow[],
  selectedBy: (plan: RandomPlan, index: number) => ReadonlySet<string> | undefined,
): RandomTally {
  const tally: RandomTally = { plans: plans.length, refused: 0, selected: 0, overGrants: [], underGrants: [] };
  for (const [index, plan] of plans.entries()) {
    const selected = selectedBy(plan, index);
    if (selected === undefined) {
      tally.refused += 1;
      continue;
    }
    tally.selected += selected.size;
    for (const row of rows) {
      const isAllowed = plan.isAllowed(row);
      if (selected.has(row.id) === isAllowed || (isAllowed && !plan.isWhole)) continue;
      tally[isAllowed ? 'underGrants' : 'overGrants'].push(`${plan.name}\n  ${JSON.stringify(row)}`);
    }
  }
  const { overGrants, underGrants, ...counts } = tally;
  console.log(
    `  random conditions: ${JSON.stringify({ ...counts, over: overGrants.length, under: underGrants.length })}`,
  );
  return tally;
}
