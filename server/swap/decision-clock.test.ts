import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAuditedEngine } from '#runtime/engine';
import { compileTexts, loaded } from '../../tests/support/compiled.js';
import type { EvaluationTime } from '../service/call-times.js';
import type { CheckCall } from '../service/decider.js';
import { DecisionClock } from './decision-clock.js';

const POLICY = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, roles: [user], output: { when: { ruleActivated: 'string(now())', conditionNotMet: '"no"' } } }
`;

const CALL: CheckCall = {
  principal: { id: 'u', policyVersion: '', roles: ['user'], attr: {}, scope: '', actors: [] },
  resources: ['album', 'none', 'album'].map((kind, index) => ({
    resource: { kind, policyVersion: '', id: String(index), attr: {}, scope: '' },
    actions: ['view', 'edit'],
  })),
  auxData: { jwt: {}, jwts: {} },
  includeMeta: true,
};

test('timing does not change a decision, and all its resources are decided at one time', async () => {
  const { policies } = await loaded(compileTexts({ 'album.yaml': POLICY }));
  let second = 0;
  const engineOf = () =>
    createAuditedEngine(clock.watch(policies), { clock: () => ({ seconds: ++second, nanos: 0, offset: 0 }) });
  const clock = new DecisionClock();
  const plain = engineOf().check(CALL);
  second = 0;
  const times: EvaluationTime[] = [];
  assert.equal(clock.check(engineOf(), CALL, times), plain);
  assert.is(second, 1);
  assert.is(times.length, 3);
  for (const [index, time] of times.entries())
    assert.ok(time.start <= time.end && time.start >= (times[index - 1]?.end ?? 0));
});

test('a throwing engine does not affect the next decision', async () => {
  const { policies } = await loaded(compileTexts({ 'album.yaml': POLICY }));
  const clock = new DecisionClock();
  const engine = createAuditedEngine(clock.watch(policies));
  const times: EvaluationTime[] = [];
  const broken = {
    ...engine,
    plan: engine.plan.bind(engine),
    check: ({ resources }: CheckCall): never => fail(resources[0]?.resource),
  };
  assert.throws(() => clock.check(broken, CALL, times), 'broken');
  assert.is(times.length, 1);
  clock.check(engine, CALL, times);
  assert.is(times.length, 4);
});

test.run();

function fail(_: unknown): never {
  throw new Error('broken');
}
