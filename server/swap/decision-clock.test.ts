import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, explanations } from '../../runtime/engine/index.js';
import { bundle } from '../../compiler/bundle/index.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { compileTexts, loaded, ROOT } from '../../tests/support/compiled.js';
import type { EvaluationTime } from '../service/call-times.js';
import type { CheckCall } from '../service/decider.js';
import { actionNames } from './action-names.js';
import { DecisionClock } from './decision-clock.js';
import { evaluateBundle } from './evaluate-bundle.js';

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
  const makeEngine = () =>
    createEngine(clock.watch(policies), {
      clock: () => ({ seconds: ++second, nanos: 0, offset: 0 }),
      use: [explanations()],
    });
  const clock = new DecisionClock();
  const plain = makeEngine().check(CALL);
  second = 0;
  const times: EvaluationTime[] = [];
  assert.equal(clock.check(makeEngine(), CALL, times), plain);
  assert.is(second, 1);
  assert.is(times.length, 3);
  for (const [index, time] of times.entries())
    assert.ok(time.start <= time.end && time.start >= (times[index - 1]?.end ?? 0));
});

test('a throwing engine does not affect the next decision', async () => {
  const { policies } = await loaded(compileTexts({ 'album.yaml': POLICY }));
  const clock = new DecisionClock();
  const engine = createEngine(clock.watch(policies), { use: [explanations()] });
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

test('a bundle that makes policies on demand is read, watched and asked without making others', async () => {
  const made = globalThis as { madeInTest?: number };
  const { js } = await bundle(
    compile(
      ['', 'acme', 'other'].map((scope) => {
        const schemas = scope === '' ? 'schemas: { resourceSchema: { ref: authz:///album.json } }' : `scope: ${scope}`;
        return new Source(`album${scope}.yaml`, POLICY.replace('version: default', `version: default\n  ${schemas}`));
      }),
      undefined,
      { scopedFrom: 1, schemaTexts: new Map([['album.json', '{ "required": ["name"] }']]) },
    ).files,
    join(ROOT, 'runtime'),
  );
  made.madeInTest = 0;
  const define = 'function resourcePolicy(text) {';
  const counting = js.replace(define, `${define} globalThis.madeInTest += 1;`);
  const { policies, traced } = await evaluateBundle(counting, '/b/policies.js');
  const clock = new DecisionClock();
  const options = { ...(traced && { traced: await traced() }), schemaEnforcement: 'warn' as const };
  const engine = createEngine(clock.watch(policies), { ...options, use: [explanations()] });
  const names = actionNames(policies);
  const times: EvaluationTime[] = [];
  const [first] = CALL.resources;
  const at = (scope: string): CheckCall =>
    ({ ...CALL, resources: [{ ...first, resource: { ...first?.resource, scope } }] }) as CheckCall;
  const [root] = clock.check(engine, at(''), times);
  assert.equal([root?.validationErrors.length, times.at(-1)?.schema === undefined, made.madeInTest], [1, false, 1]);
  const [result] = clock.check(engine, at('acme'), times);
  assert.is(result?.actions[0]?.matchedPolicy, 'resource.album.vdefault/acme');
  assert.is(engine.explain(at('acme')).effectivePolicies.length, 1);
  assert.is(made.madeInTest, 2);
  assert.equal(names('alice', 'album'), ['view']);
  assert.is(made.madeInTest, 3);
  delete made.madeInTest;
});

test.run();

function fail(_: unknown): never {
  throw new Error('broken');
}
