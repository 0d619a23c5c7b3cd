import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createEngine,
  type Engine,
  type PrincipalInput,
  delegation,
  explanations,
} from '../../runtime/engine/index.js';
import { filterText, FLAT, REFERENCE, selects, type Writing } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random stores; SEED is the first seed. Each is asked some requests, whose plans are applied to rows. */
const STORES = rounds(40, 2);
const REQUESTS = 8;
const ROWS = 16;

const EXACT: Writing = { shapes: 'flat', nots: 'exact' };

const test = suite('random chains of actors');

test('a chain is allowed what separate checks of each allow, and its plan selects exactly that', async () => {
  const tally = { decisions: 0, allowed: 0, rows: 0, selected: 0, conditional: 0, whole: 0 };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: random.chance(0.5), runtime: random.chance(0.5) });
    const { policies, traced } = await loaded(compileTexts(policyFiles(documents)));
    const options = {
      defaultScope: random.pick(['', '', 'a', '.a']),
      lenientScopeSearch: random.chance(0.4),
      ...(random.chance(0.4) && { strictEvaluation: true, traced: await traced() }),
    };
    const alone = createEngine(policies, options);
    const together = createEngine(policies, { ...options, use: [delegation()] });
    const audited = createEngine(policies, { ...options, traced: await traced(), use: [delegation(), explanations()] });
    const planners = [FLAT, EXACT, REFERENCE].map((plan) =>
      createEngine(policies, { ...options, plan, use: [delegation()] }),
    );
    for (let round = 0; round < REQUESTS; round += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const actors = Array.from({ length: random.below(4) }, () => likeThe(principal, random));
      const chain = { ...principal, actors };
      const each = [principal, ...actors];
      const place = `seed ${seed}, request ${round}`;
      const allowed = (action: string, attr: typeof resource.attr): boolean =>
        each.every((one) => alone.isAllowed({ principal: one, resource: { ...resource, attr }, action }));

      const results = [together, audited].map(
        (engine) => engine.check({ principal: chain, resources: [{ resource, actions }], includeMeta: true })[0],
      );
      const separate = each.map((one) => alone.check({ principal: one, resources: [{ resource, actions }] })[0]);
      const prepared = together.for(chain);
      for (const [index, action] of actions.entries()) {
        const expected = allowed(action, resource.attr);
        tally.decisions += 1;
        if (expected) tally.allowed += 1;
        for (const result of results) {
          assert.is(result?.actions[index]?.allowed, expected, place);
          const decisive = separate.find((one) => one?.actions[index]?.allowed === false) ?? separate[0];
          assert.equal(result?.actions[index], decisive?.actions[index], place);
        }
        assert.is(together.isAllowed({ principal: chain, resource, action }), expected, place);
        assert.is(prepared.can(action, resource), expected, place);
      }

      const attr = random.chance(0.3) ? randomAttributes(random) : {};
      const { kind, scope, policyVersion } = resource;
      const request = { principal: chain, resource: { kind, scope, policyVersion, attr }, actions };
      const plans = planners.map((engine) => engine.plan(request));
      const isWhole = plans.every(({ unplanned }) => unplanned.length === 0);
      if (plans[0]?.filter.kind === 'KIND_CONDITIONAL') tally.conditional += 1;
      if (isWhole) tally.whole += 1;
      for (let row = 0; row < ROWS; row += 1) {
        const values = { ...randomAttributes(random), ...attr };
        const expected = actions.every((action) => allowed(action, values));
        tally.rows += 1;
        if (expected) tally.selected += 1;
        for (const [index, { filter }] of plans.entries()) {
          const isSelected = selects(filter, { id: resource.id, attr: values, policyVersion });
          const isRight = isSelected === expected || (expected && (!isWhole || index === 2));
          assert.ok(isRight, `${place}: ${JSON.stringify(values)}\n${filterText(filter)}`);
        }
      }
      if (actors.length > 0) explained(audited, each, { principal: chain, resources: [{ resource, actions }] }, place);
    }
  }
  console.log(`  seeds ${SEED} to ${SEED + STORES - 1}: ${JSON.stringify(tally)}`);
  assert.ok(tally.allowed > tally.decisions / 20 && tally.conditional > 0 && tally.selected > 0, 'they say too little');
});

test.run();

/** Somebody else, or somebody alike, so that a part of the chains is allowed something. */
function likeThe(principal: PrincipalInput, random: Random): PrincipalInput {
  return random.chance(0.6)
    ? { ...principal, id: random.pick([principal.id, 'u1', 'agent']) }
    : randomRequest(random).principal;
}

/** An explanation of a chain names what the explanations of each name. */
function explained(
  audited: Engine,
  each: readonly PrincipalInput[],
  request: Parameters<Engine['check']>[0],
  place: string,
): void {
  const separate = each.map((principal) => audited.explain({ ...request, principal }));
  const whole = audited.explain(request);
  const policies = new Set(separate.flatMap(({ effectivePolicies }) => effectivePolicies.map(({ policy }) => policy)));
  assert.equal(
    whole.effectivePolicies.map(({ policy }) => policy),
    [...policies].sort(),
    place,
  );
  const errors = (explanations: typeof separate): readonly string[] =>
    [
      ...new Set(
        explanations.flatMap(({ evaluationErrors }) =>
          evaluationErrors.flat().map(({ expression, message }) => JSON.stringify([expression, message])),
        ),
      ),
    ].sort();
  assert.equal(errors([whole]), errors(separate), place);
  assert.equal(whole.effectiveDerivedRoles, separate[0]?.effectiveDerivedRoles, place);
}
