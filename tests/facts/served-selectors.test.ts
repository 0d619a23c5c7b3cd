import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { delegation } from '../../runtime/engine/index.js';
import { loadConfig } from '../../server/config.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { makeFactDeciders } from '../../server/facts/bundle-facts.js';
import { createCandidateFacts } from '../../server/facts/candidate-facts.js';
import type { Bundle, RunningServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { type Outcome, PROTOCOLS, type Question } from '../support/facts/protocols.js';
import { answerJson, factsBundle, type Origin, startFactsServer, startOrigin } from '../support/facts/served.js';
import { send } from '../support/server/http-client.js';

/* Roles of principals and scopes of resources that sources say, in a server, with all ways in which it is asked. */

const test = suite('roles and scopes from sources in a server');

const policy = (scope: string, rules: readonly string[]): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: "${scope}"
  rules:
${rules.map((rule) => `    - {effect: EFFECT_${rule}}\n`).join('')}`;
const BANNED = 'DENY, actions: [view], roles: ["*"], condition: {match: {expr: \'"banned" in P.roles\'}}';
const POLICIES = {
  'doc.yaml': policy('', [
    'ALLOW, actions: [view], roles: [member]',
    BANNED,
    'ALLOW, actions: [edit], roles: [editor]',
  ]),
  'acme.yaml': policy('acme', ['DENY, actions: [view, edit], roles: ["*"]']),
};

const GROUPS: { readonly [id: string]: unknown } = {
  ann: ['member', 'editor'],
  bob: ['member', 'banned'],
  carl: [],
  dora: ['member', null],
  emil: 'member',
};
const TENANTS: { readonly [id: string]: unknown } = { '1': '', '2': 'acme' };

let bundle: Bundle;
let origin: Origin;
let fault: ((response: ServerResponse) => void) | undefined;
const sourcesOf = (more: object = {}, withDocs = true): object => ({
  deadline: '60s',
  from: {
    people: {
      of: 'principal',
      provides: {},
      selects: { roles: 'groups' },
      http: { url: `${origin.url}/people?ids={ids}`, attributes: { groups: '/org/groups' } },
    },
    ...(withDocs && {
      docs: { of: 'doc', provides: {}, selects: { scope: 'tenant' }, http: { url: `${origin.url}/docs?ids={ids}` } },
    }),
  },
  ...more,
});
const asJson = { 'content-type': 'application/json' };

test.before(async () => {
  bundle = await factsBundle(POLICIES);
  origin = await startOrigin();
  origin.answer = (ids, response, { url = '' }) => {
    if (fault !== undefined) fault(response);
    else if (url.startsWith('/people'))
      answerJson(
        response,
        ids.flatMap((id) => (id in GROUPS ? [{ id, org: { groups: GROUPS[id] } }] : [])),
      );
    else
      answerJson(
        response,
        ids.flatMap((id) => (id in TENANTS ? [{ id, tenant: TENANTS[id] }] : [{ id }])),
      );
  };
});
test.after(() => origin.close());
test.before.each(() => {
  fault = undefined;
  origin.asked.length = 0;
});

/** The callers say that everyone is a member and an editor. */
const question = (id: string, doc: string, action: string): Question => ({
  principal: { id, roles: ['member', 'editor'] },
  kind: 'doc',
  id: doc,
  action,
});

test('every protocol decides with the roles and the scope of the sources, or not at all', async () => {
  const server = await startFactsServer(bundle, { sources: sourcesOf() });
  try {
    for (const [id, doc, action, expected] of [
      ['ann', '1', 'view', 'allow'],
      ['ann', '1', 'edit', 'allow'],
      ['ann', '2', 'view', 'deny'],
      ['bob', '1', 'view', 'deny'],
      ['bob', '1', 'edit', 'deny'],
      // Without roles, with one that is none, and with another type.
      ['carl', '1', 'view', 'unavailable'],
      ['dora', '1', 'view', 'unavailable'],
      ['emil', '1', 'view', 'unavailable'],
      ['nobody', '1', 'view', 'unavailable'],
      // A row without its scope.
      ['ann', '3', 'view', 'unavailable'],
    ] as const satisfies readonly (readonly [string, string, string, Outcome])[])
      for (const protocol of PROTOCOLS)
        assert.is(
          await protocol.ask(server, question(id, doc, action)),
          expected,
          `${protocol.name}: ${id} ${doc} ${action}`,
        );
    fault = (response) => response.writeHead(500).end('[]');
    for (const protocol of PROTOCOLS)
      assert.is(await protocol.ask(server, question('ann', '1', 'view')), 'unavailable', protocol.name);
  } finally {
    await server.close();
  }
});

const check = async (server: RunningServer, id: string, docs: readonly string[]) => {
  const body = JSON.stringify({
    includeMeta: true,
    principal: { id, roles: ['admin'] },
    resources: docs.map((doc) => ({ resource: { kind: 'doc', id: doc }, actions: ['view', 'edit'] })),
  });
  const { status, text } = await send(server.httpAddress, 'POST', '/api/check/resources', body, asJson);
  const answer = JSON.parse(text) as {
    readonly message?: string;
    readonly results?: readonly {
      readonly resource: object;
      readonly actions: { readonly [action: string]: string };
      readonly meta: { readonly unknown?: object };
    }[];
  };
  return { status, ...answer };
};

test('one call asks each source once; with `onFailure: deny`, what lacks roles or a scope is denied and named', async () => {
  const server = await startFactsServer(bundle, { sources: sourcesOf({ onFailure: 'deny' }) });
  try {
    const { results = [] } = await check(server, 'ann', ['1', '2', '3']);
    assert.equal(
      results.map(({ actions, meta }) => [Object.values(actions).join(' '), meta.unknown]),
      [
        ['EFFECT_ALLOW EFFECT_ALLOW', undefined],
        ['EFFECT_DENY EFFECT_DENY', undefined],
        ['EFFECT_DENY EFFECT_DENY', { view: { facts: ['resource.scope'] }, edit: { facts: ['resource.scope'] } }],
      ],
    );
    assert.equal([...origin.asked].sort(), ['/docs?ids=1,2,3', '/people?ids=ann']);
    const { results: lacking = [] } = await check(server, 'carl', ['1']);
    assert.equal(
      lacking.map(({ actions, meta }) => [Object.values(actions).join(' '), meta.unknown]),
      [['EFFECT_DENY EFFECT_DENY', { view: { facts: ['principal.roles'] }, edit: { facts: ['principal.roles'] } }]],
    );
  } finally {
    await server.close();
  }
  const failing = await startFactsServer(bundle, { sources: sourcesOf() });
  try {
    const { status, message } = await check(failing, 'carl', ['1']);
    assert.equal([status, message], [503, 'facts are not available: `principal.roles` from `people`']);
  } finally {
    await failing.close();
  }
});

test('plans have the roles of the sources; kinds whose rows say their scope have none', async () => {
  const plan = async (server: RunningServer, id: string, action: string) => {
    const body = JSON.stringify({ action, principal: { id, roles: ['editor'] }, resource: { kind: 'doc' } });
    const { status, text } = await send(server.httpAddress, 'POST', '/api/plan/resources', body, asJson);
    return status === 200 ? (JSON.parse(text) as { filter: { kind: string } }).filter.kind : `${status} ${text}`;
  };
  const server = await startFactsServer(bundle, { sources: sourcesOf({}, false) });
  try {
    assert.is(await plan(server, 'ann', 'edit'), 'KIND_ALWAYS_ALLOWED');
    assert.is(await plan(server, 'bob', 'edit'), 'KIND_ALWAYS_DENIED');
    assert.is(await plan(server, 'bob', 'view'), 'KIND_ALWAYS_DENIED');
    assert.match(await plan(server, 'carl', 'edit'), /^503 .*`principal\.roles` from `people`/);
  } finally {
    await server.close();
  }
  const scoped = await startFactsServer(bundle, { sources: sourcesOf() });
  try {
    assert.match(await plan(scoped, 'ann', 'edit'), /^400 .*a source sets the scope or the version/);
  } finally {
    await scoped.close();
  }
});

test('facts that may not be sent are refused, whether roles are known or not', async () => {
  const refusing = {
    level: { of: 'principal', provides: { level: 'number' }, http: { url: `${origin.url}/people?ids={ids}` } },
    secrets: { of: 'doc', provides: { secret: 'boolean' }, http: { url: `${origin.url}/docs?ids={ids}` } },
  };
  const own = sourcesOf({}, false) as { readonly from: object };
  const server = await startFactsServer(bundle, {
    sources: { ...own, caller: 'refuse', from: { ...own.from, ...refusing } },
  });
  const post = async (path: string, body: object) => {
    const answer = await send(server.httpAddress, 'POST', path, JSON.stringify(body), asJson);
    return [answer.status, (JSON.parse(answer.text) as { readonly code?: number }).code, answer.text] as const;
  };
  try {
    for (const id of ['ann', 'carl', 'nobody'])
      for (const [level, secret] of [
        [{ level: 1 }, {}],
        [{}, { secret: true }],
      ]) {
        const principal = { id, roles: ['member'], attr: level };
        const resource = { kind: 'doc', id: '1', attr: secret };
        for (const [path, body] of [
          ['/api/check/resources', { principal, resources: [{ resource, actions: ['view'] }] }],
          ['/api/plan/resources', { principal, resource: { kind: 'doc', attr: secret }, action: 'view' }],
        ] as const) {
          const [status, code, text] = await post(path, body);
          assert.equal([status, code], [400, 3], `${path} ${id}: ${text}`);
        }
      }
  } finally {
    await server.close();
  }
});

test('audit entries have the roles and scopes that decided, and where they are from', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-selectors-'));
  const path = join(folder, 'audit.log');
  const file = openSync('/dev/null', 'w');
  const sets = ['audit.enabled=true', 'audit.backend=file', `audit.file.path=${path}`];
  const audit = await openAuditLog(loadConfig({ sets, environment: {} }).config.audit, (message) =>
    assert.unreachable(message),
  );
  const log = openLog({ output: file, errors: file, environment: {} });
  const own = { sources: sourcesOf(), audit: { enabled: true, backend: 'file', file: { path } } };
  const server = await startFactsServer(bundle, own, { log, audit });
  await check(server, 'ann', ['2']);
  await server.close();
  const entry = JSON.parse(
    readFileSync(path, 'utf8')
      .split('\n')
      .find((line) => line.includes('checkResources') && line.includes('"decision"')) ?? '',
  ) as {
    readonly checkResources: {
      readonly inputs: readonly {
        readonly principal: { readonly roles: object };
        readonly resource: { readonly scope: string };
      }[];
    };
    readonly facts: { readonly inputs: readonly { readonly fetched: readonly { readonly fact: string }[] }[] };
  };
  const [input] = entry.checkResources.inputs;
  assert.equal([input?.principal.roles, input?.resource.scope], [['member', 'editor'], 'acme']);
  assert.equal(entry.facts.inputs[0]?.fetched.map(({ fact }) => fact).sort(), ['principal.roles', 'resource.scope']);
  rmSync(folder, { recursive: true });
});

test('a candidate decides nothing while roles are unknown', async () => {
  const { policies } = await factsBundle(POLICIES);
  const deciders = makeFactDeciders(policies, { use: [delegation()] }, () => assert.unreachable());
  const { decide, readByPlan } = createCandidateFacts(deciders);
  const request = { principal: { id: 'ann', roles: ['editor'] }, resource: { kind: 'doc', id: '1' }, action: 'edit' };
  for (const fact of ['principal.roles', 'principal.actors[0].scope', 'resource.policyVersion'])
    assert.equal(decide(request as never, new Set([fact, 'resource.attr.owner'])), new Set([fact]));
  assert.is(decide(request as never, new Set(['resource.attr.roles'])), true);
  const plan = { principal: request.principal, resource: { kind: 'doc' }, actions: ['edit'] };
  assert.equal(readByPlan(plan as never, ['principal.roles', 'principal.attr.team']), ['principal.roles']);
});

test('a configuration in which nobody can know which policies decide is refused', () => {
  const refused = (sets: readonly string[]): string => {
    try {
      loadConfig({ sets, environment: {} });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  const people = [
    'of=principal',
    'provides.level=number',
    'http.url=https://hr.test/?ids={ids}',
    'selects.roles=groups',
  ].map((set) => `sources.from.people.${set}`);
  assert.is(refused(people), '');
  assert.match(refused([...people, 'sources.from.people.key=principal.attr.mail']), /found by their id/);
  assert.match(refused([...people, 'sources.from.people.of=doc']), /needs `of: principal`/);
  assert.match(refused([...people, 'tenants.source=folder']), /the source decides which tenants are needed/);
});

test.run();
