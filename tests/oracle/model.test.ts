import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { APPENDIX_B } from './appendix-b.js';
import type { Document } from '../support/oracle/documents.js';
import { globMatch } from '../support/oracle/glob-match.js';
import { MODEL_DEFAULTS, type ModelRequest, modelCheck, type ModelSettings } from '../support/oracle/model.js';
import { tableOf } from '../support/oracle/table.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';

interface Ask {
  readonly id?: string;
  readonly roles?: readonly string[];
  readonly attr?: { readonly [name: string]: unknown };
  readonly kind?: string;
  readonly scope?: string;
  readonly version?: string;
  readonly principalVersion?: string;
}

/** `action EFFECT policy scope` for each action. */
function decide(
  documents: readonly Document[],
  ask: Ask,
  actions: readonly string[],
  settings: Partial<ModelSettings> = {},
): readonly string[] {
  return run(documents, ask, actions, settings).actions.map(({ action, effect, matchedPolicy, matchedScope }) =>
    `${action} ${effect.slice(7)} ${matchedPolicy} ${matchedScope}`.trimEnd(),
  );
}

function run(
  documents: readonly Document[],
  ask: Ask,
  actions: readonly string[],
  settings: Partial<ModelSettings> = {},
): ReturnType<typeof modelCheck> {
  const request: ModelRequest = {
    principal: { id: ask.id ?? 'alice', roles: ask.roles ?? ['user'], policyVersion: ask.principalVersion ?? '' },
    resource: {
      kind: ask.kind ?? 'doc',
      id: 'r',
      attr: ask.attr ?? {},
      scope: ask.scope ?? '',
      policyVersion: ask.version ?? '',
    },
    actions,
  };
  return modelCheck(tableOf(documents), tinyCel, request, { ...MODEL_DEFAULTS, ...settings });
}

const INVOICE = 'resource.billing_invoice.vdefault';

const worked: readonly (readonly [
  number: number,
  ask: Ask,
  expected: readonly string[],
  outputs?: readonly unknown[],
  derived?: readonly string[],
])[] = [
  [
    1,
    { roles: ['clerk'], attr: { owner: 'alice', status: 'OPEN' } },
    [`read:public ALLOW ${INVOICE}`, `read:a:b DENY ${INVOICE}`, `edit ALLOW ${INVOICE}`, `delete ALLOW ${INVOICE}`],
    [],
    ['owner'],
  ],
  [
    2,
    { roles: ['clerk'], attr: { owner: 'alice', status: 'PAID' } },
    [`edit DENY ${INVOICE}`],
    [{ src: `${INVOICE}#edit-own`, action: 'edit', val: 'closed: PAID' }],
    ['owner'],
  ],
  [3, { roles: ['clerk'], attr: { owner: 'zoe', status: 'PAID' } }, [`edit DENY ${INVOICE}`], []],
  [
    4,
    { id: 'bob', roles: ['clerk'], attr: { owner: 'bob', status: 'OPEN' } },
    ['delete DENY principal.bob.vdefault'],
    [],
    [],
  ],
  [5, { roles: ['manager'], attr: { amount: 1000 } }, [`pay ALLOW ${INVOICE}`]],
  [6, { roles: ['manager'], attr: { amount: 1000.5 } }, [`pay DENY ${INVOICE}`]],
  [7, { roles: ['manager'] }, [`pay ALLOW ${INVOICE}`]],
  [8, { roles: ['manager'], scope: 'eu', attr: { amount: 10, vat_checked: true } }, [`pay ALLOW ${INVOICE}/eu`], []],
  [
    9,
    { roles: ['manager'], scope: 'eu', attr: { amount: 10, vat_checked: false } },
    [`pay DENY ${INVOICE}/eu eu`],
    [{ src: `${INVOICE}/eu#eu-pay`, action: 'pay', val: 'vat missing' }],
  ],
  [10, { roles: ['manager'], scope: 'us', attr: { amount: 10 } }, ['pay DENY NO_MATCH', 'read:x DENY NO_MATCH']],
  [
    11,
    { roles: ['trainee'], attr: { owner: 'alice', status: 'OPEN' } },
    [`read:public ALLOW ${INVOICE}`, 'read:x DENY role.trainee.vdefault', 'edit DENY role.trainee.vdefault'],
    [],
    ['owner'],
  ],
  [12, { roles: ['trainee', 'manager'] }, [`read:x ALLOW ${INVOICE}`]],
  [13, { roles: ['trainee'], scope: 'eu' }, [`read:public DENY ${INVOICE}/eu`]],
  [14, { roles: ['clerk'], attr: { owner: 'alice' } }, [`edit ALLOW ${INVOICE}`]],
];

for (const [number, ask, expected, outputs, derived] of worked) {
  test(`worked example ${number} of Appendix B has the recorded result`, () => {
    const actions = expected.map((line) => line.split(' ')[0] as string);
    const result = run(APPENDIX_B, { kind: 'billing:invoice', ...ask }, actions);
    assert.equal(decide(APPENDIX_B, { kind: 'billing:invoice', ...ask }, actions), expected);
    if (outputs !== undefined) assert.equal(result.outputs, outputs);
    if (derived !== undefined) assert.equal(result.effectiveDerivedRoles, derived);
  });
}

const scoped: readonly Document[] = [
  {
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      rules: [{ actions: ['*'], effect: 'EFFECT_ALLOW', roles: ['*'] }],
    },
  },
  {
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      scope: 'acme',
      rules: [{ actions: ['edit'], effect: 'EFFECT_DENY', roles: ['*'] }],
    },
  },
  { resourcePolicy: { resource: 'other', version: 'default', scope: 'acme.hr', rules: [] } },
];

test('a scope exists when any policy is in it (8.4)', () => {
  const hr = ['edit DENY resource.doc.vdefault/acme.hr acme', 'view ALLOW resource.doc.vdefault/acme.hr'];
  assert.equal(decide(scoped, { scope: 'acme.hr' }, ['edit', 'view']), hr);
  assert.equal(decide(scoped, { scope: 'acme.hr' }, ['edit', 'view'], { lenient: true }), hr);
  assert.equal(decide(scoped, { scope: 'acme.hr.uk' }, ['edit']), ['edit DENY NO_MATCH']);
  assert.equal(decide(scoped, { scope: 'acme.hr.uk' }, ['edit', 'view'], { lenient: true }), hr);
  assert.equal(decide(scoped, { scope: 'foo' }, ['edit']), ['edit DENY NO_MATCH']);
  assert.equal(decide(scoped, { scope: 'foo' }, ['edit'], { lenient: true }), ['edit ALLOW resource.doc.vdefault']);
  assert.equal(decide(scoped, { scope: '.' }, ['edit'], { defaultScope: 'acme' }), [
    'edit ALLOW resource.doc.vdefault',
  ]);
});

const when = (expr: string): { readonly condition: { readonly match: { readonly expr: string } } } => ({
  condition: { match: { expr } },
});
const allow = (action: string, condition = {}): never =>
  ({ actions: [action], effect: 'EFFECT_ALLOW', roles: ['*'], ...condition }) as never;
const consenting: readonly Document[] = [
  {
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      rules: [
        allow('view'),
        allow('cond', when('R.attr.p')),
        allow('rootonly'),
        { actions: ['dd'], effect: 'EFFECT_DENY', roles: ['*'] },
      ],
    },
  },
  {
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      scope: 'acme',
      scopePermissions: 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      rules: [allow('view'), allow('dd'), allow('childonly'), allow('cond', when('R.attr.c'))],
    },
  },
];

test('an ALLOW of a consenting scope needs the ALLOW of a parent (8.5)', () => {
  const key = 'resource.doc.vdefault/acme';
  assert.equal(decide(consenting, { scope: 'acme' }, ['view', 'dd', 'childonly', 'rootonly']), [
    `view ALLOW ${key}`,
    `dd DENY ${key}`,
    `childonly DENY ${key}`,
    `rootonly ALLOW ${key}`,
  ]);
  assert.equal(decide(consenting, { scope: 'acme', attr: { p: true, c: true } }, ['cond']), [`cond ALLOW ${key}`]);
  assert.equal(decide(consenting, { scope: 'acme', attr: { p: false, c: true } }, ['cond']), [`cond DENY ${key}`]);
  for (const attr of [{ p: true, c: false }, { p: false, c: false }, { p: true }]) {
    assert.equal(decide(consenting, { scope: 'acme', attr }, ['cond']), [`cond DENY ${key} acme`]);
  }
});

const versions: readonly Document[] = [
  {
    principalPolicy: {
      principal: 'alice',
      version: 'default',
      rules: [{ resource: '*', actions: [{ action: '*', effect: 'EFFECT_DENY' }] }],
    },
  },
  { resourcePolicy: { resource: 'doc', version: 'default', rules: [allow('*')] } },
  { resourcePolicy: { resource: 'doc', version: 'v2', rules: [allow('*')] } },
];

test('the version of the resource selects principal policies (8.8)', () => {
  const at = (principalVersion: string, version: string): readonly string[] =>
    decide(versions, { principalVersion, version }, ['x']);
  assert.equal(at('default', 'default'), ['x DENY principal.alice.vdefault']);
  assert.equal(at('v2', 'default'), ['x DENY NO_MATCH']);
  assert.equal(at('default', 'v2'), ['x ALLOW resource.doc.vv2']);
  assert.equal(at('v2', 'v2'), ['x ALLOW resource.doc.vv2']);
});

test("the model's glob matches the examples of 4.3", () => {
  for (const [pattern, text] of [
    ['view:*', 'view:'],
    ['a:*:c', 'a::c'],
    ['a:**:c', 'a:c'],
    ['{a,b:*}:z', 'b:q:z'],
    ['[!a-c]*', ':'],
    ['*', 'a:b'],
  ] as const)
    assert.ok(globMatch(pattern, text), pattern);
  for (const [pattern, text] of [
    ['view*', 'view:x'],
    ['*:*', 'a:b:c'],
    ['?*', ':'],
    ['[*', '['],
    ['[a-cx]', 'a'],
    ['[z-a]', 'z'],
  ] as const)
    assert.not.ok(globMatch(pattern, text), pattern);
});

test.run();
