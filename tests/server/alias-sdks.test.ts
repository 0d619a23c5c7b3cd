import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GRPC } from '@cerbos/grpc';
import { HTTP } from '@cerbos/http';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { release } from '../../server/release.js';
import { loaded } from '../support/compiled.js';
import { loopbackConfig } from '../support/server/start.js';

/** The published SDKs of the reference PDP, over `server.aliases: [cerbos]`. */
const test = suite('SDKs of the reference PDP');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [shared]
  schemas:
    resourceSchema:
      ref: authz:///album.json
      ignoreWhen:
        actions: [list]
  variables:
    local:
      isOwner: R.attr.owner == P.id
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      output:
        when:
          ruleActivated: '"seen by " + P.id'
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: V.isOwner
    - name: owners
      actions: [remove]
      effect: EFFECT_DENY
      derivedRoles: [owner]
`;
const SHARED = `apiVersion: api.authz.dev/v1
description: What everyone needs
metadata:
  annotations:
    team: design
derivedRoles:
  name: shared
  constants:
    local:
      levels: [1, 2.5, { deep: null }]
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          all:
            of:
              - expr: R.attr.owner == P.id
              - none:
                  of:
                    - expr: P.attr.level in C.levels
`;
const SCHEMA = JSON.stringify({ type: 'object', properties: { owner: { type: 'string' } } });

const adminCredentials = { username: 'admin', password: 'open sesame' };
const anna = { id: 'anna', roles: ['user'], attr: { team: 'design' } };
const own = { kind: 'album', id: '1', attr: { owner: 'anna' } };
const other = { kind: 'album', id: '2', attr: { owner: 'bob' } };

let folder = '';
let server: RunningServer;
let reloads = 0;
let refusal: string | undefined;
test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'authz-sdks-'));
  const config = loopbackConfig(
    'server.aliases={cerbos}',
    'server.adminAPI.enabled=true',
    'server.adminAPI.adminCredentials.username=admin',
    `server.adminAPI.adminCredentials.passwordHash=${Buffer.from(hashSync(adminCredentials.password, 4)).toString('base64')}`,
    'schema.enforcement=warn',
    'audit.enabled=true',
    'audit.backend=local',
    'audit.delivery=before_reply',
    `audit.local.storagePath=${join(folder, 'audit')}`,
  );
  const bundle = await loaded(
    compile([new Source('album.yaml', POLICY), new Source('shared/roles.yaml', SHARED)], undefined, {
      schemaTexts: new Map([['album.json', SCHEMA]]),
      explain: true,
    }),
  );
  server = await startServer(config, bundle, {
    audit: await openAuditLog(config.audit, assert.unreachable),
    reload: async () => {
      reloads++;
      return refusal;
    },
  });
});
test.after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Both SDKs are the same client over their transport; they may have different versions of it. */
const CLIENTS: { readonly [name: string]: (options?: object) => GRPC } = {
  '@cerbos/http': (options) => new HTTP(`http://${server.httpAddress}`, options) as unknown as GRPC,
  '@cerbos/grpc': (options) => new GRPC(server.grpcAddress, { tls: false, ...options }),
};

for (const [name, clientOf] of Object.entries(CLIENTS)) {
  test(`${name}: checkResource, checkResources and isAllowed`, async () => {
    const client = clientOf();
    const one = await client.checkResource({ principal: anna, resource: own, actions: ['view', 'edit', 'delete'] });
    assert.equal(
      ['view', 'edit', 'delete'].map((action) => one.isAllowed(action)),
      [true, true, false],
    );
    assert.equal(one.output('resource.album.vdefault#rule-001'), 'seen by anna');
    const two = await client.checkResources({
      requestId: 'r1',
      includeMetadata: true,
      principal: anna,
      resources: [own, other].map((resource) => ({ resource, actions: ['edit'] })),
    });
    assert.is(two.requestId, 'r1');
    assert.match(two.cerbosCallId, CALL_ID);
    assert.equal(
      [own, other].map((resource) => two.isAllowed({ resource, action: 'edit' })),
      [true, false],
    );
    assert.is(two.findResult(own)?.metadata?.actions['edit']?.matchedPolicy, 'resource.album.vdefault');
    assert.is(await client.isAllowed({ principal: anna, resource: other, action: 'view' }), true);
    assert.is(await client.isAllowed({ principal: anna, resource: other, action: 'edit' }), false);
  });

  test(`${name}: withPrincipal`, async () => {
    const client = clientOf().withPrincipal(anna);
    assert.is(await client.isAllowed({ resource: own, action: 'edit' }), true);
    assert.is((await client.checkResource({ resource: other, actions: ['edit'] })).isAllowed('edit'), false);
    assert.is(
      (await client.planResources({ resource: { kind: 'album' }, actions: ['view'] } as never)).kind,
      'KIND_ALWAYS_ALLOWED',
    );
  });

  test(`${name}: planResources`, async () => {
    const plan = await clientOf().planResources({
      principal: anna,
      resource: { kind: 'album' },
      actions: ['view', 'edit'],
      includeMetadata: true,
    });
    assert.match(plan.cerbosCallId, CALL_ID);
    assert.is(plan.kind, 'KIND_CONDITIONAL');
    assert.match(JSON.stringify('condition' in plan && plan.condition), 'request.resource.attr.owner');
    assert.ok(plan.metadata?.conditionString);
    const denied = await clientOf().planResources({ principal: anna, resource: { kind: 'album' }, action: 'delete' });
    assert.is(denied.kind, 'KIND_ALWAYS_DENIED');
  });

  test(`${name}: failures and validation errors`, async () => {
    const broken = await clientOf()
      .checkResource({ principal: { id: 'anna', roles: [] }, resource: own, actions: ['view'] })
      .then(
        () => assert.unreachable(),
        (error: { readonly code: number }) => error.code,
      );
    assert.is(broken, 3);
    const found: string[] = [];
    await clientOf({
      onValidationError: (errors: readonly { readonly path: string }[]) => {
        found.push(...errors.map(({ path }) => path));
      },
    }).checkResource({ principal: anna, resource: { ...own, attr: { owner: 1 } }, actions: ['view'] });
    assert.equal(found, ['/owner']);
  });

  test(`${name}: serverInfo and checkHealth`, async () => {
    const client = clientOf();
    assert.is((await client.serverInfo()).version, release.version);
    assert.equal(await client.checkHealth(), { status: 'SERVING' });
    // What the reference's own health check asks about.
    for (const service of ['cerbos.svc.v1.CerbosService', 'cerbos.svc.v1.CerbosAdminService'])
      assert.is((await client.checkHealth({ service: service as never })).status, 'SERVING', service);
  });

  test(`${name}: audit lists and entries`, async () => {
    const client = clientOf({ adminCredentials });
    const { cerbosCallId } = await client.checkResources({
      principal: anna,
      resources: [{ resource: own, actions: ['edit'] }],
    });
    const decision = await client.getDecisionLogEntry(cerbosCallId);
    assert.is(decision?.callId, cerbosCallId);
    assert.is(decision?.method.name, 'CheckResources');
    const access = await client.getAccessLogEntry(cerbosCallId);
    assert.is(access?.method, '/authz.svc.v1.AuthzService/CheckResources');
    const filter = { tail: 2 };
    const decisions = await all(client.listDecisionLogEntries({ filter }));
    const accesses = await all(client.listAccessLogEntries({ filter }));
    assert.is(decisions.length, 2);
    assert.ok(accesses.some(({ callId }) => callId === cerbosCallId));
    const refused = await all(
      clientOf({ adminCredentials: { ...adminCredentials, password: 'x' } }).listAccessLogEntries({ filter }),
    ).then(
      () => assert.unreachable(),
      (error: { readonly code: number }) => error.code,
    );
    assert.is(refused, 16);
  });
}

for (const [name, clientOf] of Object.entries(CLIENTS)) {
  test(`${name}: listPolicies and listSchemas`, async () => {
    const client = clientOf({ adminCredentials });
    assert.equal((await client.listPolicies()).ids, ['resource.album.vdefault']);
    for (const filter of [
      { nameRegexp: '^al' },
      { versionRegexp: 'default' },
      { scopeRegexp: '^$' },
      { ids: ['resource.album.vdefault', 'resource.none.vdefault'] },
    ])
      assert.equal((await client.listPolicies(filter)).ids, ['resource.album.vdefault'], JSON.stringify(filter));
    for (const filter of [{ nameRegexp: '^bum' }, { scopeRegexp: 'acme' }, { ids: ['resource.none.vdefault'] }])
      assert.equal((await client.listPolicies(filter)).ids, [], JSON.stringify(filter));
    for (const nameRegexp of ['(', 'a'.repeat(257)])
      assert.is(await codeOf(client.listPolicies({ nameRegexp })), 3, nameRegexp);
    assert.equal((await client.listSchemas()).ids, ['album.json']);
    const stranger = clientOf({ adminCredentials: { ...adminCredentials, password: 'x' } });
    for (const call of [stranger.listPolicies(), stranger.listSchemas(), stranger.reloadStore({ wait: true })])
      assert.is(await codeOf(call), 16);
  });

  test(`${name}: getPolicy, getSchema and inspectPolicies`, async () => {
    const client = clientOf({ adminCredentials });
    const album = await client.getPolicy('resource.album.vdefault');
    assert.is(album?.metadata?.sourceFile, 'album.yaml');
    const { resourcePolicy } = album as Extract<typeof album, { readonly resourcePolicy: unknown }>;
    assert.equal(resourcePolicy.importDerivedRoles, ['shared']);
    assert.equal(resourcePolicy.variables?.local, { isOwner: 'R.attr.owner == P.id' });
    assert.equal(resourcePolicy.schemas?.resourceSchema?.ignoreWhen?.actions, ['list']);
    assert.equal(
      resourcePolicy.rules.map(({ actions, effect, roles, derivedRoles }) => [actions, effect, roles, derivedRoles]),
      [
        [['view'], 'EFFECT_ALLOW', ['user'], []],
        [['edit'], 'EFFECT_ALLOW', ['user'], []],
        [['remove'], 'EFFECT_DENY', [], ['owner']],
      ],
    );
    const shared = await client.getPolicy('derived_roles.shared');
    assert.is(shared?.description, 'What everyone needs');
    assert.equal({ ...shared?.metadata?.annotations }, { team: 'design' });
    const { derivedRoles } = shared as Extract<typeof shared, { readonly derivedRoles: unknown }>;
    assert.equal(derivedRoles.constants?.local, { levels: [1, 2.5, { deep: null }] });
    assert.equal(derivedRoles.definitions[0]?.condition, {
      match: {
        all: { of: [{ expr: 'R.attr.owner == P.id' }, { none: { of: [{ expr: 'P.attr.level in C.levels' }] } }] },
      },
    });
    assert.is(await client.getPolicy('resource.none.vdefault'), undefined);

    const schema = await client.getSchema('album.json');
    assert.is(schema?.definition.toString(), SCHEMA);
    assert.is(await client.getSchema('../album.json'), undefined);

    const { policies } = await client.inspectPolicies();
    assert.equal(Object.keys(policies), ['derived_roles.shared', 'resource.album.vdefault']);
    const inspected = policies['resource.album.vdefault'];
    assert.equal(inspected?.actions, ['edit', 'remove', 'view']);
    assert.equal(JSON.parse(JSON.stringify(inspected?.derivedRoles)), [
      { name: 'owner', kind: 'IMPORTED', source: 'derived_roles.shared' },
    ]);
    assert.equal(Object.keys((await client.inspectPolicies({ nameRegexp: '^share' })).policies), [
      'derived_roles.shared',
    ]);
    const stranger = clientOf({ adminCredentials: { ...adminCredentials, password: 'x' } });
    for (const call of [stranger.getPolicy('a'), stranger.getSchema('a'), stranger.inspectPolicies()])
      assert.is(await codeOf(call), 16);
  });

  test(`${name}: reloadStore`, async () => {
    const client = clientOf({ adminCredentials });
    const before = reloads;
    await client.reloadStore({ wait: true });
    refusal = 'is not a compiled bundle';
    await client.reloadStore({ wait: false });
    const failure = await client.reloadStore({ wait: true }).then(
      () => assert.unreachable() as never,
      (error: { readonly code: number; readonly details: string }) => error,
    );
    refusal = undefined;
    assert.is(failure.code, 9);
    assert.match(failure.details, /still serving the last good one: is not a compiled bundle$/);
    assert.is(reloads, before + 3);
  });
}

test.run();

function codeOf(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => assert.unreachable() as never,
    (error: { readonly code: number }) => error.code,
  );
}

const CALL_ID = /^[0-9A-Z]{26}$/;

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
