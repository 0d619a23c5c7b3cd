import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CompiledBundle,
  createEngine,
  type EngineOptions,
  type PlanResult,
  explanations,
  mergeErrors,
} from '../../runtime/engine/index.js';
import { planner } from '../../runtime/engine/parts.js';
import { makeBundle, type ProgramBundle } from '../../packages/analysis/program/bundle.js';
import { makeFilters } from '../../packages/analysis/program/filters.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { acceptedStore, FAMILIES, GLOBALS, NOW } from '../support/cel/condition-stores.js';
import { PLACES } from '../support/mutants/conditions.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { documentOf } from '../support/sql/hostile-rows.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The number of stores of random policies, and of requests for each; SEED is the first seed. 20,000 requests by
 * default.
 */
const STORES = rounds(60, 2);
const REQUESTS = 340;

/** The number of stores of random conditions, of conditions in each, and of requests for each condition. */
const CONDITION_STORES = rounds(8);
const CONDITIONS = 40;
const ROWS = 24;

const test = suite('the bundle of a program');

for (const strict of [false, true]) {
  test(`decides as emitted code, ${strict ? 'strict' : 'default'} evaluation`, async () => {
    for (let seed = SEED; seed < SEED + STORES / 2; seed += 1) {
      const random = new Random(strict ? seed + 1_000_000 : seed);
      const documents = randomStore(random, { outputs: random.chance(0.6), runtime: random.chance(0.5) });
      const compilation = compileTexts(policyFiles(documents));
      const emitted = await loaded(compilation);
      const lowered = makeBundle(fold(compilation.lowered as Program));
      const optimised = makeBundle(compilation.program as Program);
      const options: EngineOptions = {
        defaultScope: random.pick(['', '', 'a', '.a']),
        lenientScopeSearch: random.chance(0.4),
        strictEvaluation: strict,
      };
      const expected = createEngine(emitted.policies, {
        ...options,
        traced: await emitted.traced(),
        use: [explanations()],
      });
      const actual = createEngine(optimised.bundle, { ...options, traced: optimised.traced, use: [explanations()] });
      const asWritten = createEngine(lowered.bundle, { ...options, traced: lowered.traced });
      const quiet = createEngine(lowered.bundle, { ...options, traced: lowered.traced });
      const planning = strict ? undefined : createEngine(planned(optimised), options);
      for (let i = 0; i < REQUESTS; i += 1) {
        const { principal, resource, actions } = randomRequest(random);
        const request = { principal, resources: [{ resource, actions }], includeMeta: true };
        const detail = `seed ${seed}, request ${i}: ${JSON.stringify(request)}`;
        const results = expected.check(request);
        assert.equal(actual.check(request), results, detail);
        assert.equal(asWritten.check(request), results, detail);
        assert.equal(mergeErrors(actual.explain(request)), mergeErrors(expected.explain(request)), detail);
        for (const action of actions) {
          assert.is(
            quiet.isAllowed({ principal, resource, action }),
            expected.isAllowed({ principal, resource, action }),
            `${action} alone, ${detail}`,
          );
        }
        const asked = { principal, resource: { ...resource, attr: undefined }, actions };
        if (planning !== undefined && i % 8 === 0)
          assert.equal(shown(planning.plan(asked)), shown(expected.plan(asked)), detail);
      }
    }
  });
}

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`evaluates conditions ${name} as emitted code does`, async () => {
    for (let seed = SEED; seed < SEED + CONDITION_STORES; seed += 1) {
      const random = new Random(seed);
      const { compilation, conditions } = acceptedStore(family, random, CONDITIONS);
      const emitted = await loaded(compilation);
      const lowered = makeBundle(fold(compilation.lowered as Program));
      const strictEvaluation = random.chance(0.3);
      const options: EngineOptions = { clock: () => NOW, globals: GLOBALS, strictEvaluation };
      const expected = createEngine(emitted.policies, { ...options, traced: await emitted.traced() });
      const actual = createEngine(lowered.bundle, { ...options, traced: lowered.traced });
      for (const [index, condition] of conditions) {
        for (let i = 0; i < ROWS; i += 1) {
          const principal = { id: random.pick(['u1', 'alice']), roles: ['user'], attr: family.principal(random) };
          const resource = { kind: `kind${index}`, id: 'r', attr: family.row(random) };
          const request = { principal, resources: [{ resource, actions: Object.keys(PLACES) }] };
          const detail = `seed ${seed}, ${condition}: ${documentOf(request)}`;
          assert.equal(actual.check(request), expected.check(request), detail);
        }
      }
    }
  });

  test(`plans conditions ${name} as emitted code does`, async () => {
    for (let seed = SEED; seed < SEED + CONDITION_STORES; seed += 1) {
      const random = new Random(seed);
      const { compilation, conditions } = acceptedStore(family, random, CONDITIONS);
      const emitted = await loaded(compilation);
      const options: EngineOptions = { clock: () => NOW, globals: GLOBALS };
      const expected = createEngine(emitted.policies, options);
      const actual = createEngine(planned(makeBundle(compilation.program as Program)), options);
      for (const [index, condition] of conditions) {
        for (const action of Object.keys(PLACES)) {
          const principal = { id: random.pick(['u1', 'alice']), roles: ['user'], attr: family.principal(random) };
          const request = { principal, resource: { kind: `kind${index}` }, actions: [action] };
          const detail = `seed ${seed}, ${condition}: ${documentOf(request)}`;
          assert.equal(shown(actual.plan(request)), shown(expected.plan(request)), detail);
        }
      }
    }
  });
}

test.run();

function shown({ filter, filterDebug, matchedScopes, unplanned }: PlanResult): unknown {
  return { filter, filterDebug, matchedScopes, unplanned };
}

function planned(program: ProgramBundle): CompiledBundle {
  return { ...program.bundle, filters: [makeFilters(program)], planner };
}
