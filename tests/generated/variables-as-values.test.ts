import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('the map of variables as a value');

const PRINCIPAL = { id: 'alice', roles: ['user'] };

/**
 * Engines, default and strict, of a policy with some variables. Its rules output each expression where the first one
 * equals itself.
 */
async function enginesOf(
  variables: { readonly [name: string]: string },
  expressions: readonly string[],
): Promise<readonly Engine[]> {
  const rules = expressions.map((expression, index) => ({
    name: `rule${index}`,
    actions: ['view'],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    condition: { match: { expr: `${expressions[0]} == ${expressions[0]}` } },
    output: { when: { ruleActivated: expression } },
  }));
  const policy = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'album', version: 'default', variables: { local: variables }, rules },
  };
  const { policies, traced } = await loaded(compileTexts({ 'album.yaml': JSON.stringify(policy) }));
  return [createEngine(policies), createEngine(policies, { strictEvaluation: true, traced: await traced() })];
}

function outputsOf(engine: Engine): readonly unknown[] | undefined {
  const [result] = engine.check({
    principal: PRINCIPAL,
    resources: [{ resource: { kind: 'album', id: 'a1', attr: { owner: 'bob' } }, actions: ['view'] }],
  });
  return result?.outputs.map((output) => ('val' in output ? output.val : output.error));
}

const CASES: readonly (readonly [
  title: string,
  variables: { readonly [name: string]: string },
  expressions: readonly string[],
  outputs: readonly unknown[],
  plan: string,
])[] = [
  [
    'a variable that is V has the variables before it',
    { a: '1', m: 'V', z: '2' },
    ['V.m', 'V.a', 'V.z'],
    [{ a: 1 }, 1, 2],
    'KIND_ALWAYS_ALLOWED',
  ],
  [
    'two variables that are V do not have each other',
    { a: 'V', b: 'V' },
    ['V.b', 'V.a'],
    [{ a: {} }, {}],
    'KIND_ALWAYS_ALLOWED',
  ],
  [
    'an optional selection of the variable itself is none',
    { a: 'V.?a.orValue(5)' },
    ['V.a'],
    [5],
    'KIND_ALWAYS_ALLOWED',
  ],
  [
    'an optional selection of a later variable is none',
    { b: 'V.?c.orValue(6)', c: '7' },
    ['V.b', 'V.c'],
    [6, 7],
    'KIND_ALWAYS_ALLOWED',
  ],
  [
    'a variable that is V has what reads the resource',
    { owner: 'R.attr.owner', whole: 'V' },
    ['V.whole.owner', 'V.owner'],
    ['bob', 'bob'],
    'KIND_ALWAYS_DENIED',
  ],
];

for (const [title, variables, expressions, outputs, plan] of CASES) {
  test(`${title} (docs/spec/conditions.md#policy-variables)`, async () => {
    for (const engine of await enginesOf(variables, expressions)) {
      assert.equal(outputsOf(engine), outputs);
      assert.is(
        engine.plan({ principal: PRINCIPAL, resource: { kind: 'album' }, actions: ['view'] }).filter.kind,
        plan,
      );
    }
  });
}

test.run();
