import { join } from 'node:path';
import { policyFiles } from '../support/oracle/documents.js';
import { ROOT } from '../support/compiled.js';
import { readKnownFailures } from '../support/known-failures.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';
import { HAZARDS } from '../support/sql/hazardous-conditions.js';
import { COMBINATIONS } from './combinations.js';
import { PLACES, TYPED } from '../support/mutants/conditions.js';

/** The number of random stores in the probe. */
const RANDOM_STORES = 12;

/** Policies by path, as in a folder. JSON is valid YAML. */
export type StoreTexts = { readonly [path: string]: string };

/** The conditions of the probe, without those whose plan is known to be wrong. */
export function hazards(): readonly string[] {
  const known = readKnownFailures(join(ROOT, 'tests', 'sql', 'known-failures.txt'));
  return HAZARDS.filter((expr) => !known.has(`hazards/${expr}`));
}

/** All stores: the conditions first, then the combinations, then the random ones by seed. */
export function storesOf(conditions: readonly string[]): readonly StoreTexts[] {
  return [
    conditionStore('hazard', conditions, conditionStore('typed', TYPED)),
    policyFiles(COMBINATIONS),
    ...Array.from({ length: RANDOM_STORES }, (_, index) => randomTexts(index + 1)),
  ];
}

/** A kind for each position of a condition, an action for each condition. */
function conditionStore(prefix: string, conditions: readonly string[], others: StoreTexts = {}): StoreTexts {
  const policies = Object.entries(PLACES).map(([place, rulesOf]) => {
    const resourcePolicy = {
      resource: `${prefix}_${place}`,
      version: 'default',
      rules: conditions.flatMap((expr, index) => rulesOf(expr, `a${index}`)),
    };
    return [`${prefix}.${place}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy })] as const;
  });
  return { ...others, ...Object.fromEntries(policies) };
}

function randomTexts(seed: number): StoreTexts {
  const random = new Random(seed);
  return policyFiles(randomStore(random, { outputs: false, runtime: seed % 2 === 0 }));
}
