import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../compiler/compile.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { loaded } from '../../../tests/support/compiled.js';
import { selects } from '../../residual/index.js';
import {
  createEngine,
  delegation,
  EvaluationLimitError,
  explanations,
  mergeErrors,
  type TenantDocument,
  type TenantRolesView,
  tenants,
  tenantsOf,
} from '../index.js';

const POLICIES = {
  'album.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  schemas: {resourceSchema: {ref: authz:///album.json, ignoreWhen: {actions: [list]}}}
  rules:
    - {name: editors, actions: [view, list, edit, publish], effect: EFFECT_ALLOW, roles: [editor], output: {when: {ruleActivated: size(P.roles)}}}
    - {name: reviewers, actions: [publish], effect: EFFECT_ALLOW, roles: [reviewer], condition: {match: {expr: R.attr.reviewed == true}}}
    - {name: viewers, actions: [view], effect: EFFECT_ALLOW, roles: [viewer], condition: {match: {expr: R.attr.public == true}}}
    - {name: two-people, actions: [publish], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: '"author" in P.roles && "reviewer" in P.roles'}}}
    - {name: frozen, actions: ["*"], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.frozen == true}}}
    - {name: everyone, actions: [help], effect: EFFECT_ALLOW, roles: ["*"]}
    - {name: like-tenants, actions: [secret], effect: EFFECT_ALLOW, roles: ["ten*", "t*:*"]}
    - {name: costly, actions: [count], effect: EFFECT_ALLOW, roles: [viewer], condition: {match: {expr: "R.attr.many.exists(t, t == P.id)"}}}
`,
  'tenants.yaml': `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: editor, resources: [{resource: album, actions: [view, list, edit]}]}
    - {role: reviewer, resources: [{resource: album, actions: [publish]}]}
    - {role: viewer, resources: [{resource: "*", actions: ["*"]}]}
`,
};
const schemaTexts = new Map([['album.json', '{"type": "object", "properties": {"title": {"type": "string"}}}']]);
const sources = Object.entries(POLICIES).map(([path, text]) => new Source(path, text));
const { policies, traced } = await loaded(compile(sources, undefined, { schemaTexts }));

const acme: TenantDocument = {
  tenant: 'acme',
  roles: {
    desk: { roles: ['editor', 'viewer'] },
    proof: { roles: ['reviewer'] },
    narrow: { roles: ['editor'], resources: [{ resource: 'album', actions: ['list'] }] },
  },
};
const globex = { tenant: 'globex', roles: { desk: { roles: ['owner'] } } } as TenantDocument;
const documents = new Map<string, TenantDocument>([
  ['acme', acme],
  ['globex', globex],
]);
const options = { lenientScopeSearch: true };
const ofTenants = tenants({ documents: (tenant) => documents.get(tenant) });
const engine = createEngine(policies, { ...options, use: [delegation(), ofTenants] });
const own = engine.tenants as TenantRolesView;

const scope = 'tenants.acme';
const holding = (...roles: readonly string[]) => ({ id: 'ann', roles, scope });
const album = (attr: object = {}, at = scope) => ({ kind: 'album', id: 'a', scope: at, attr: { ...attr } });
const may = (roles: readonly string[], action: string, attr?: object): boolean =>
  engine.isAllowed({ principal: holding(...roles), resource: album(attr), action });

test('a role of a tenant stands for the roles it names, for what is granted', () => {
  assert.ok(may(['tenant:desk'], 'view'));
  assert.ok(may(['tenant:desk'], 'edit'));
  assert.not(may(['tenant:desk'], 'publish'), 'editors may, but it is not granted');
  assert.ok(may(['editor'], 'publish'));
  assert.ok(may(['editor', 'tenant:desk'], 'publish'), 'roles of the policies stay');
  assert.ok(may(['tenant:narrow'], 'list'));
  assert.not(may(['tenant:narrow'], 'view'));
  assert.not(may(['tenant:other'], 'view'));
  assert.not(may(['desk'], 'view'), 'without the prefix it is another role');
});

test('a DENY and conditions see the roles that it stands for', () => {
  assert.not(may(['tenant:desk'], 'view', { frozen: true }));
  assert.ok(may(['tenant:proof'], 'publish', { reviewed: true }));
  assert.not(may(['author', 'tenant:proof'], 'publish', { reviewed: true }), 'separation of duty holds across both');
});

test('rules never see the names that tenants choose', () => {
  assert.not(may(['tenant:desk'], 'secret'));
  assert.ok(may(['tenant:desk'], 'help') && may(['guest'], 'help'), 'viewer is granted everything');
  assert.not(may(['tenant:narrow'], 'help'), 'a principal without another role has none here');
  const [result] = engine.check({
    principal: holding('tenant:desk', 'guest'),
    resources: [{ resource: album(), actions: ['edit'] }],
  });
  assert.equal(result?.outputs, [{ src: 'resource.album.vdefault#editors', action: 'edit', val: 3 }]);
});

test('principal and resource must be of the tenant', () => {
  const asked = (own: string | undefined, at: string) =>
    engine.isAllowed({
      principal: { id: 'ann', roles: ['tenant:desk'], ...(own !== undefined && { scope: own }) },
      resource: album({}, at),
      action: 'view',
    });
  assert.ok(asked('tenants.acme', 'tenants.acme'));
  assert.ok(asked('.tenants.acme', 'tenants.acme.hr'));
  assert.ok(asked('tenants.acme.hr', 'tenants.acme'));
  for (const [own, at] of [
    [undefined, 'tenants.acme'],
    ['tenants.acme', ''],
    ['tenants.acme', 'tenants'],
    ['tenants.acme', 'tenants.globex'],
    ['tenants.globex', 'tenants.acme'],
    ['tenants.acme', 'tenants.acmex'],
    ['tenants.acme', 'x.tenants.acme'],
    ['tenants', 'tenants'],
  ] as const)
    assert.not(asked(own, at), `${own} ${at}`);
  for (const scope of ['tenants.', 'tenants.../x'])
    assert.throws(() => asked(scope, scope), /scope is not a scope/, scope);
});

test('a refused document gives nothing, and is reported once', () => {
  const refused: string[] = [];
  const one = createEngine(policies, {
    ...options,
    use: [
      delegation(),
      tenants({
        documents: (tenant) => documents.get(tenant),
        onRefused: (tenant, { message }) => void refused.push(`${tenant}: ${message}`),
      }),
    ],
  });
  const principal = { id: 'bob', roles: ['tenant:desk', 'tenant:x'], scope: 'tenants.globex' };
  for (let round = 0; round < 3; round++)
    assert.not(one.isAllowed({ principal, resource: album({}, 'tenants.globex'), action: 'view' }));
  assert.equal(refused, [
    'globex: roles.desk.roles[0]: tenants may not grant the role `owner`; they may grant editor, reviewer, viewer',
  ]);
});

test('actions of one check are decided with their own roles, and results keep their order', () => {
  const actions = ['publish', 'view', 'edit', 'list'];
  const [result, other] = engine.check({
    principal: holding('tenant:desk', 'tenant:proof'),
    resources: [
      { resource: album({ reviewed: true }), actions },
      { resource: album({ reviewed: true }, ''), actions: ['view', 'publish'] },
    ],
    includeMeta: true,
  });
  assert.equal(
    result?.actions.map(({ action, allowed }) => `${action} ${allowed}`),
    ['publish true', 'view true', 'edit true', 'list true'],
  );
  assert.equal(
    other?.actions.map(({ allowed }) => allowed),
    [false, false],
  );
  const plan = engine.plan({
    principal: holding('tenant:desk', 'tenant:proof'),
    resource: { kind: 'album', scope },
    actions: ['publish', 'view'],
  });
  assert.equal(
    [...(plan.matchedScopes ?? [])],
    [
      ['publish', ''],
      ['view', ''],
    ],
  );
  assert.ok(selects(plan.filter, { id: 'a', attr: { reviewed: true } }));
  assert.not(selects(plan.filter, { id: 'a', attr: {} }));
});

test('a schema denies what it denies without roles of tenants', () => {
  const rejecting = createEngine(policies, { ...options, schemaEnforcement: 'reject', use: [delegation(), ofTenants] });
  const resources = [{ resource: album({ title: 1 }), actions: ['list', 'publish'] }];
  const [result] = rejecting.check({ principal: holding('tenant:desk', 'tenant:proof'), resources });
  assert.equal(
    result?.actions.map(({ allowed }) => allowed),
    [false, false],
  );
  assert.is(result?.validationErrors.length, 1);
  const plan = rejecting.plan({
    principal: holding('tenant:desk', 'tenant:proof'),
    resource: { kind: 'album', scope, attr: { title: 1 } },
    actions: ['list', 'publish'],
  });
  assert.is(plan.filter.kind, 'KIND_ALWAYS_DENIED');
});

test('requests may bring their documents, in place of those of the engine', () => {
  const tenants = () => ({ tenant: 'acme', roles: { desk: { roles: ['viewer'] } } });
  const principal = holding('tenant:desk');
  const request = { principal, resource: album({ public: true }), action: 'edit', tenants };
  assert.not(engine.isAllowed(request));
  assert.ok(engine.isAllowed({ ...request, action: 'view' }));
  assert.ok(engine.for(principal, { tenants }).can('view', request.resource));
  assert.not(engine.for(principal, { tenants }).can('edit', request.resource));
  assert.ok(engine.for(principal).can('edit', request.resource));
  assert.equal(own.rolesFor({ ...request, principal: holding('x', 'tenant:desk', 'tenant:none') }), {
    tenant: 'acme',
    roles: ['x', 'viewer'],
    given: new Map([['tenant:desk', ['viewer']]]),
  });
});

test('the roles that a tenant defines are found without a resource', () => {
  const found = (principal: Parameters<typeof own.definedRoles>[0], tenants?: () => TenantDocument | undefined) => {
    const { tenant, roles } = own.definedRoles(principal, tenants);
    return `${tenant}: ${roles.join(' ')}`;
  };
  assert.is(found(holding('x', 'tenant:desk', 'tenant:none', 'tenant:proof')), 'acme: tenant:desk tenant:proof');
  assert.is(found(holding('x')), 'undefined: ');
  assert.is(found({ id: 'ann', roles: ['tenant:desk'], scope: 'elsewhere' }), 'undefined: ');
  assert.is(
    found(holding('tenant:own', 'tenant:desk'), () => ({ tenant: 'acme', roles: { own: { roles: ['viewer'] } } })),
    'acme: tenant:own',
  );
  assert.is(
    found(holding('tenant:desk'), () => undefined),
    'acme: ',
  );
  assert.throws(() => own.definedRoles({ id: '', roles: ['tenant:desk'] }), /principal\.id is empty/);
});

test('only tenants of principals with such roles are needed', () => {
  const { tenantRoles } = policies;
  assert.ok(tenantRoles);
  assert.equal(tenantsOf(tenantRoles, holding('editor')), []);
  assert.equal(tenantsOf(tenantRoles, holding('editor', 'tenant:desk')), ['acme']);
  assert.equal(tenantsOf(tenantRoles, { id: 'x', roles: ['tenant:desk'], scope: 'elsewhere' }), []);
  assert.equal(tenantsOf(tenantRoles, { id: 'x', roles: ['tenant:desk'] }, 'tenants.acme'), ['acme']);
  const actors = [holding('tenant:proof'), { id: 'y', roles: ['tenant:a'], scope: 'tenants.globex.x' }, holding('x')];
  assert.equal(tenantsOf(tenantRoles, { ...holding('tenant:desk'), actors }), ['acme', 'globex']);
});

test('actors have roles of their own tenants', () => {
  const allowed = (actors: readonly ReturnType<typeof holding>[]) =>
    engine.isAllowed({ principal: { ...holding('tenant:desk'), actors }, resource: album(), action: 'edit' });
  assert.ok(allowed([holding('editor')]));
  assert.ok(allowed([holding('tenant:desk')]));
  assert.not(allowed([holding('tenant:proof')]));
  assert.not(allowed([{ ...holding('tenant:desk'), scope: 'tenants.globex' }]));
});

test('an explanation is of the roles that decided', async () => {
  const audited = createEngine(policies, {
    ...options,
    traced: await traced(),
    use: [delegation(), ofTenants, explanations()],
  });
  const principal = holding('tenant:desk');
  const resources = [
    { resource: album(), actions: ['view', 'publish'] },
    { resource: album({}, ''), actions: ['view'] },
  ];
  const { evaluationErrors, effectivePolicies } = audited.explain({ principal, resources });
  assert.equal(
    evaluationErrors.map((errors) => errors.map(({ expression }) => expression)),
    [['R.attr.frozen == true', 'R.attr.public == true'], []],
  );
  assert.equal(
    effectivePolicies.map(({ policy }) => policy),
    ['resource.album.vdefault'],
  );
  assert.is(
    mergeErrors(audited.explain({ principal, resource: { kind: 'album', scope }, actions: ['view'] })).length,
    0,
  );
});

test('limits are those of one call', () => {
  const limited = createEngine(policies, {
    ...options,
    limits: { evaluationCost: 100_000 },
    use: [delegation(), ofTenants],
  });
  const many = Array.from({ length: 15_000 }, (_, index) => `t${index}`);
  const actions = ['count', 'publish', 'view'];
  const count = (copies: number) =>
    limited.check({
      principal: holding('tenant:desk', 'tenant:proof'),
      resources: Array.from({ length: copies }, () => ({ resource: album({ many }), actions })),
    });
  assert.is(count(1).length, 1);
  assert.throws(
    () => count(4),
    (error: unknown) => error instanceof EvaluationLimitError,
  );
});

test('policies without grants have no such engine', () => {
  const { tenantRoles: _, ...without } = policies;
  assert.throws(() => createEngine(without, { use: [tenants()] }), /the policies have no roles of tenants/);
  assert.ok(
    createEngine(policies).isAllowed({
      principal: { id: 'x', roles: ['editor'] },
      resource: album({}, ''),
      action: 'edit',
    }),
  );
});

test.run();
