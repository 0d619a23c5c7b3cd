import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { selects } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('parts of a request in a plan');

const policyOf = (scope: string, rules: string, head = ''): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: "${scope}"
${head}  rules:
${rules}`;

const TEXTS = {
  'doc.yaml': policyOf(
    '',
    `    - { actions: [renew], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: timestamp(R.attr.until) < now() } } }
    - { actions: [view], effect: EFFECT_ALLOW, roles: [user] }
    - { actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: R.attr.open == true } } }
`,
  ),
  'note.yaml': policyOf(
    '',
    `    - { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: '"owner" in runtime.effectiveDerivedRoles' } } }
    - { actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner] }
    - { actions: [flag], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: '!("owner" in runtime.effectiveDerivedRoles)' } } }
`,
    '  importDerivedRoles: [people]\n',
  ).replace('resource: doc', 'resource: note'),
  'people.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
`,
  'doc.acme.yaml': policyOf(
    'acme',
    `    - { actions: [share], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: R.attr.open == true } } }
`,
  ),
};

const NOW = { seconds: 1_700_000_000, nanos: 123_456_789, offset: 0 };
const principal = { id: 'ann', roles: ['user'] };

async function planOf(
  action: string,
  scope = '',
  kind = 'doc',
): Promise<{ readonly text: string; readonly scope: string | undefined }> {
  const { policies } = await loaded(compileTexts(TEXTS));
  const engine = createEngine(policies, { clock: () => NOW });
  const { filterDebug, matchedScopes } = engine.plan({
    principal,
    resource: { kind, scope, attr: {} },
    actions: [action],
  });
  return { text: filterDebug, scope: matchedScopes?.get(action) };
}

test('the time in a filter has milliseconds, which every database and client can read', async () => {
  assert.match((await planOf('renew')).text, '2023-11-14T22:13:20.123Z');
});

test('a plan names the scope whose rules decided', async () => {
  assert.equal(await planOf('view', 'acme'), { text: '(true)', scope: '' });
  assert.equal(await planOf('share', 'acme'), { text: '(eq request.resource.attr.open true)', scope: 'acme' });
  assert.equal(await planOf('edit', 'acme'), { text: '(eq request.resource.attr.open true)', scope: '' });
});

test('a condition sees the derived roles that a row would have', async () => {
  assert.is((await planOf('view', '', 'note')).text, '(eq request.resource.attr.owner "ann")');
});

test('in strict evaluation a condition that reads the derived roles does not select a row for which one fails', async () => {
  const { policies, traced } = await loaded(compileTexts(TEXTS));
  const engine = createEngine(policies, { strictEvaluation: true, traced: await traced() });
  const { filter } = engine.plan({ principal, resource: { kind: 'note', attr: {} }, actions: ['flag'] });
  for (const [attr, isAllowed] of [
    [{ owner: 'bob' }, true],
    [{ owner: 'ann' }, false],
    [{}, false],
  ] as const) {
    const resource = { kind: 'note', id: 'n', attr };
    assert.is(engine.isAllowed({ principal, resource, action: 'flag' }), isAllowed);
    assert.is(selects(filter, resource), isAllowed);
  }
});

test.run();
