import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type EngineOptions } from '#runtime/engine';
import { FLAT, REFERENCE, selects, type Writing } from '#runtime/residual';
import type { Document } from '../oracle/documents.js';
import { Random } from '../oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../oracle/random-store.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { withSharedNames } from './shared-names.js';

/** How many random stores; SEED says where to begin. Each is asked for the plans of 8 requests, and each plan is held against 32 rows. */
const STORES = Number(process.env.STORES ?? 40);
const SEED = Number(process.env.SEED ?? 1);
const REQUESTS = 8;
const ROWS = 32;

const EXACT: Writing = { shapes: 'flat', nots: 'exact' };

const test = suite('plans of random policies');

test('a filter selects exactly the rows that check allows, and in the plain writing of the reference never one more', async () => {
  // The reference's trees look the same in strict evaluation.
  await compareStores('default evaluation', [EXACT, FLAT, REFERENCE], async () => ({}));
});

test('so it does in strict evaluation, where a condition that cannot be evaluated denies', async () => {
  await compareStores('strict evaluation', [EXACT, FLAT], async (traced) => ({ strictEvaluation: true, traced: await traced() }));
});

test.run();

type Options = (traced: Awaited<ReturnType<typeof loaded>>['traced']) => Promise<EngineOptions>;

async function compareStores(name: string, writings: readonly Writing[], optionsOf: Options): Promise<void> {
  const count = { rows: 0, selected: 0, conditional: 0, plans: 0, notWhole: 0, overGrants: 0, underGrants: writings.map(() => 0) };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const named = random.chance(0.4) ? withSharedNames(random, documents) : documents;
    const { policies, traced } = await loaded(compileTexts(textsOf(named)));
    const options = { ...(await optionsOf(traced)), defaultScope: random.pick(['', '', 'a', '.a']), lenientScopeSearch: random.chance(0.4) };
    const engines = writings.map((plan) => createEngine(policies, { ...options, plan }));
    for (let i = 0; i < REQUESTS; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const [action] = actions as [string];
      const { kind, scope, policyVersion } = resource;
      const attr = random.chance(0.3) ? randomAttributes(random) : {};
      const request = { principal, resource: { kind, scope, policyVersion, attr }, actions: [action] };
      const plans = engines.map((engine) => engine.plan(request));
      // What no filter can say is left out, so the filter may select too few.
      const isWhole = plans.every(({ unplanned }) => unplanned.length === 0);
      if (!isWhole) count.notWhole += 1;
      count.plans += 1;
      if (plans[0]?.filter.kind === 'KIND_CONDITIONAL') count.conditional += 1;
      for (let row = 0; row < ROWS; row += 1) {
        const rowAttr = { ...randomAttributes(random), ...attr };
        const allowed = (engines[0] as Engine).isAllowed({ principal, resource: { ...resource, attr: rowAttr }, action });
        const candidate = { id: resource.id, attr: rowAttr, policyVersion };
        const detail = `seed ${seed}, request ${i}: ${JSON.stringify({ request, rowAttr })}\n${plans.map(({ filterDebug }) => filterDebug).join('\n')}`;
        for (const [position, { filter }] of plans.entries()) {
          const isSelected = selects(filter, candidate);
          if (isSelected) assert.ok(allowed, `${name}: selects what check denies: ${detail}`);
          else if (allowed) {
            // `plain` selects too few where a DENY reads what is not there.
            if (writings[position] !== REFERENCE) assert.not(isWhole, `${name}: does not select what check allows: ${detail}`);
            (count.underGrants[position] as number) += 1;
          }
        }
        count.rows += 1;
        if (allowed) count.selected += 1;
      }
    }
  }
  console.log(`  ${name}, ${STORES} stores: ${JSON.stringify(count)}`);
  assert.ok(count.selected > count.rows / 20 && count.conditional > count.plans / 10, 'the stores say too little');
}

/** Policies as a folder would hold them; JSON is YAML. */
function textsOf(documents: readonly Document[]): { readonly [path: string]: string } {
  return Object.fromEntries(
    documents.map((document, index) => [`p${String(index).padStart(3, '0')}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })]),
  );
}
