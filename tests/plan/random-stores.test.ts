import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '#runtime/engine';
import { FLAT, REFERENCE, selects, type Writing } from '#runtime/residual';
import type { Document } from '../oracle/documents.js';
import { Random } from '../oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../oracle/random-store.js';
import { compileTexts, loaded } from '../support/compiled.js';

/** How many random stores; SEED says where to begin. Each is asked for the plans of 8 requests, and each plan is held against 32 rows. */
const STORES = Number(process.env.STORES ?? 40);
const SEED = Number(process.env.SEED ?? 1);
const REQUESTS = 8;
const ROWS = 32;

const EXACT: Writing = { shapes: 'flat', nots: 'exact' };

const test = suite('plans of random policies');

test('a filter selects exactly the rows that check allows, and in its plainer writings never one more', async () => {
  const count = { rows: 0, selected: 0, conditional: 0, plans: 0, notWhole: 0, fewerGuarded: 0, fewerPlain: 0 };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const { policies } = await loaded(compileTexts(textsOf(documents)));
    const options = { defaultScope: random.pick(['', '', 'a', '.a']), lenientScopeSearch: random.chance(0.4) };
    const engineOf = (plan: Writing): Engine => createEngine(policies, { ...options, plan });
    const [exact, guarded, plain] = [EXACT, FLAT, REFERENCE].map(engineOf) as [Engine, Engine, Engine];
    for (let i = 0; i < REQUESTS; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const [action] = actions as [string];
      const { kind, scope, policyVersion } = resource;
      const attr = random.chance(0.3) ? randomAttributes(random) : {};
      const request = { principal, resource: { kind, scope, policyVersion, attr }, actions: [action] };
      const plans = [exact, guarded, plain].map((engine) => engine.plan(request));
      const [ofExact, ofGuarded, ofPlain] = plans.map(({ filter }) => filter) as [Plan, Plan, Plan];
      // What no filter can say is left out, so the filter may select too few.
      const isWhole = plans.every(({ unplanned }) => unplanned.length === 0);
      if (!isWhole) count.notWhole += 1;
      count.plans += 1;
      if (ofExact.kind === 'KIND_CONDITIONAL') count.conditional += 1;
      for (let row = 0; row < ROWS; row += 1) {
        const rowAttr = { ...randomAttributes(random), ...attr };
        const allowed = exact.isAllowed({ principal, resource: { ...resource, attr: rowAttr }, action });
        const candidate = { id: resource.id, attr: rowAttr, policyVersion };
        const detail = `seed ${seed}, request ${i}: ${JSON.stringify({ request, rowAttr })}\n${plans.map(({ filterDebug }) => filterDebug).join('\n')}`;
        if (isWhole || selects(ofExact, candidate)) assert.is(selects(ofExact, candidate), allowed, `exact: ${detail}`);
        if (selects(ofGuarded, candidate)) assert.ok(allowed, `guarded selects what check denies: ${detail}`);
        else if (allowed) count.fewerGuarded += 1;
        if (selects(ofPlain, candidate)) assert.ok(allowed, `plain selects what check denies: ${detail}`);
        else if (allowed) count.fewerPlain += 1;
        count.rows += 1;
        if (allowed) count.selected += 1;
      }
    }
  }
  console.log(`  ${STORES} stores: ${JSON.stringify(count)}`);
  assert.ok(count.selected > count.rows / 20 && count.conditional > count.plans / 10, 'the stores say too little');
});

test.run();

type Plan = ReturnType<Engine['plan']>['filter'];

/** Policies as a folder would hold them; JSON is YAML. */
function textsOf(documents: readonly Document[]): { readonly [path: string]: string } {
  return Object.fromEntries(
    documents.map((document, index) => [`p${String(index).padStart(3, '0')}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })]),
  );
}
