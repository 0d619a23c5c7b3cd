import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '#runtime/engine';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('consent at the root');

test('a root policy that requires consent can never allow, whichever way it is asked (policy-language.md 8.3)', async () => {
  const resourcePolicy = {
    resource: 'doc',
    version: 'default',
    scopePermissions: 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
    rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['*'] }],
  };
  const { policies } = await loaded(compileTexts({ 'doc.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) }));
  const engine = createEngine(policies);
  const principal = { id: 'ann', roles: ['user'] };
  const resource = { kind: 'doc', id: '1' };
  assert.is(engine.isAllowed({ principal, resource, action: 'view' }), false);
  for (const includeMeta of [false, true]) {
    const [result] = engine.check({ principal, resources: [{ resource, actions: ['view'] }], includeMeta });
    assert.is(result?.actions[0]?.effect, 2);
  }
});

test.run();
