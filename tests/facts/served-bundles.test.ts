import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { servedParts } from '../../packages/cli/policies/served-folder.js';
import { readLine } from '../../packages/analysis/replay/entry.js';
import { delegation } from '../../runtime/engine/index.js';
import { FactGatherer } from '../../runtime/facts/gather.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { loadConfig } from '../../server/config.js';
import { makeFactDeciders } from '../../server/facts/bundle-facts.js';
import { CallFactsService } from '../../server/facts/call-facts.js';
import { createCandidateFacts } from '../../server/facts/candidate-facts.js';
import type { RunningServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { compare, type ShadowItem } from '../../server/rollout/comparison.js';
import type { Call } from '../../server/service/call.js';
import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { ADMIN, answerJson, factsBundle, type Origin, startFactsServer, startOrigin } from '../support/facts/served.js';
import { send } from '../support/server/http-client.js';
import { until } from '../support/timeout.js';

/* Bundles, audit entries and metrics of a server with sources. */

const test = suite('bundles of a server with sources');

const folder = mkdtempSync(join(tmpdir(), 'authz-facts-bundles-'));
const LOG = join(folder, 'log');
const AUDIT = join(folder, 'audit.log');
const file = openSync(LOG, 'a');
const log = openLog({ output: file, errors: file, environment: {} });
const asJson = { 'content-type': 'application/json' };

const policy = (...conditions: readonly string[]): { readonly [path: string]: string } => ({
  'doc.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      rules: conditions.map((expr) => ({
        actions: ['view'],
        effect: 'EFFECT_ALLOW',
        roles: ['user'],
        condition: { match: { expr } },
      })),
    },
  }),
});

let origin: Origin;
const open: RunningServer[] = [];

test.before(async () => {
  origin = await startOrigin();
  origin.answer = (ids, response) =>
    answerJson(
      response,
      ids.map((id) => ({ id, owner: 'ann', region: 'eu' })),
    );
});
test.after(async () => {
  await Promise.all(open.map((server) => server.close()));
  await origin.close();
  rmSync(folder, { recursive: true });
});

const sources = (more: object = {}): object => ({
  deadline: '60s',
  from: {
    owners: { of: 'doc', provides: { owner: 'string' }, http: { url: `${origin.url}/owners?ids={ids}` }, cost: 1 },
    regions: { of: 'doc', provides: { region: 'string' }, http: { url: `${origin.url}/regions?ids={ids}` }, cost: 2 },
  },
  ...more,
});

const view = (server: RunningServer, id = '1', attr: object = {}) =>
  send(
    server.httpAddress,
    'POST',
    '/api/check/resources',
    JSON.stringify({
      principal: { id: 'ann', roles: ['user'] },
      resources: [{ resource: { kind: 'doc', id, attr }, actions: ['view'] }],
    }),
    asJson,
  );

test('a bundle without the program of its policies is refused, with the way out', async () => {
  await startFactsServer(await loaded(compileTexts(policy('true'), { explain: true })), { sources: sources() }).then(
    (server) => server.close().then(() => assert.unreachable()),
    (error: Error) => assert.match(error.message, /compiled with `authzc compile --facts`/),
  );
});

test('facts that nobody provides are logged once for each bundle', async () => {
  const reading = await factsBundle(policy('R.attr.owner == P.id && R.attr.title == P.attr.title'));
  const server = await startFactsServer(reading, { sources: sources() }, { log });
  open.push(server);
  const lines = (): readonly string[] =>
    readFileSync(LOG, 'utf8')
      .split('\n')
      .filter((line) => line.includes('facts/nobody'));
  await until(() => lines().length === 1);
  assert.match(lines()[0] ?? '', /doc: principal\.attr\.title, resource\.attr\.title/);
  await view(server);
  await server.swap(await factsBundle(policy('R.attr.owner == P.id || R.attr.region == P.attr.region')));
  await until(() => lines().length === 2);
  assert.match(lines()[1] ?? '', /doc: principal\.attr\.region"/);
  assert.is(lines().length, 2);
});

test('with `require`, such a bundle is refused at the start and at a swap', async () => {
  const reading = await factsBundle(policy('R.attr.owner == P.id && R.attr.title == "a"'));
  const strict = (more: object = {}) => ({ sources: sources({ require: true, ...more }) });
  await startFactsServer(reading, strict()).then(
    (server) => server.close().then(() => assert.unreachable()),
    (error: Error) => assert.match(error.message, /no source provides doc: resource\.attr\.title/),
  );
  for (const sent of ['resource.attr.title', 'resource.attr.*'])
    await (await startFactsServer(reading, strict({ sent: [sent] }))).close();
  const server = await startFactsServer(await factsBundle(policy('R.attr.owner == P.id')), strict());
  open.push(server);
  const before = server.hash();
  let refusal = '';
  await server.swap(reading).catch((error: Error) => {
    refusal = error.message;
  });
  assert.match(refusal, /resource\.attr\.title/);
  assert.is(server.hash(), before);
  assert.match((await view(server)).text, /EFFECT_ALLOW/);
});

test('facts of kinds that only principal policies name are lacking, too', async () => {
  const reading = await factsBundle({
    'ann.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      principalPolicy: {
        principal: 'ann',
        version: 'default',
        rules: ['report', 'draft:*'].map((resource, index) => ({
          resource,
          actions: [
            { action: 'view', effect: 'EFFECT_ALLOW', condition: { match: { expr: `R.attr.part${index} == "a"` } } },
          ],
        })),
      },
    }),
  });
  const lacking = 'no source provides report: resource.attr.part0; draft:*: resource.attr.part1';
  await startFactsServer(reading, { sources: sources({ require: true }) }).then(
    (server) => server.close().then(() => assert.unreachable()),
    (error: Error) => assert.ok(error.message.includes(lacking), error.message),
  );
  const sent = ['resource.attr.part0', 'resource.attr.part1'];
  await (await startFactsServer(reading, { sources: sources({ require: true, sent }) })).close();
});

test('audit entries say where facts are from, and which were not known', async () => {
  const { config } = loadConfig({
    sets: ['audit.enabled=true', 'audit.backend=file', `audit.file.path=${AUDIT}`],
    environment: {},
  });
  const audit = await openAuditLog(config.audit, (message) => assert.unreachable(message));
  const reading = await factsBundle(policy('R.attr.owner == P.id || R.attr.region == "asia"'));
  const server = await startFactsServer(
    reading,
    { sources: sources(), audit: { enabled: true, backend: 'file', file: { path: AUDIT } } },
    { log, audit },
  );
  await view(server);
  await view(server, '2', { owner: 'ann', region: 'eu' });
  await server.close();
  const entries = readFileSync(AUDIT, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"decision"') && line.includes('checkResources'));
  assert.is(entries.length, 2);
  const [fetched, sent] = entries.map((line) => JSON.parse(line) as { readonly [name: string]: never });
  const facts = fetched?.['facts'] as
    | { readonly kept: string; readonly inputs: readonly { readonly [name: string]: unknown }[] }
    | undefined;
  assert.is(facts?.kept, 'all');
  assert.equal(facts?.inputs[0]?.['unknown'], ['resource.attr.region']);
  const [one] = (facts?.inputs[0]?.['fetched'] ?? []) as readonly { readonly [name: string]: string }[];
  assert.is(one?.['fact'], 'resource.attr.owner');
  assert.is(one?.['source'], 'owners');
  assert.match(one?.['at'] ?? '', /^\d{4}-\d\d-\d\dT/);
  // What was fetched stands in the entry like what was sent.
  assert.match(entries[0] ?? '', /"attr":\{"owner":"ann"\}/);
  assert.is(sent?.['facts'], undefined);
  const line = readLine(entries[0] ?? '');
  assert.ok(line.kind === 'check');
  const { kept } = line.check.resources[0] ?? {};
  assert.ok(typeof kept === 'object' && kept.unknown.has('resource.attr.region'));
});

/** The outputs of the entries of decisions that a server writes while something is asked. */
async function auditedOutputs(
  policies: { readonly [path: string]: string },
  more: object,
  ask: (server: RunningServer) => Promise<unknown>,
): Promise<readonly { readonly [name: string]: unknown }[]> {
  rmSync(AUDIT, { force: true });
  const { config } = loadConfig({
    sets: ['audit.enabled=true', 'audit.backend=file', `audit.file.path=${AUDIT}`],
    environment: {},
  });
  const audit = await openAuditLog(config.audit, (message) => assert.unreachable(message));
  const server = await startFactsServer(
    await factsBundle(policies),
    { sources: sources(more), audit: { enabled: true, backend: 'file', file: { path: AUDIT } } },
    { log, audit },
  );
  await ask(server);
  await server.close();
  return readFileSync(AUDIT, 'utf8')
    .split('\n')
    .filter((line) => line.includes('checkResources'))
    .flatMap((line) => (JSON.parse(line) as DecisionLogEntry).checkResources?.outputs ?? []) as never;
}

const FOREIGN = {
  'roles.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    derivedRoles: {
      name: 'places',
      definitions: [
        { name: 'nowhere', parentRoles: ['user'], condition: { match: { expr: '!has(R.attr.region)' } } },
        { name: 'owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.owner == P.id' } } },
      ],
    },
  }),
  'doc.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      importDerivedRoles: ['places'],
      rules: [
        { actions: ['view'], effect: 'EFFECT_ALLOW', derivedRoles: ['owner'] },
        {
          actions: ['view'],
          effect: 'EFFECT_ALLOW',
          roles: ['user'],
          condition: { match: { expr: 'R.attr.region == "asia"' } },
        },
        { actions: ['edit'], effect: 'EFFECT_ALLOW', derivedRoles: ['nowhere'] },
      ],
    },
  }),
};

test('audit entries have no derived roles and no errors that only come from facts that are not known', async () => {
  const told = async (attr: object, more: object = {}, request: object = {}) => {
    const ask = (server: RunningServer) =>
      send(
        server.httpAddress,
        'POST',
        '/api/check/resources',
        JSON.stringify({
          principal: { id: 'ann', roles: ['user'] },
          resources: [{ resource: { kind: 'doc', id: '1', attr }, actions: ['view'] }],
          ...request,
        }),
        asJson,
      );
    const [output] = await auditedOutputs(FOREIGN, more, ask);
    return [
      output?.['effectiveDerivedRoles'],
      JSON.stringify(output?.['evaluationErrors'] ?? []).includes('region'),
    ] as const;
  };
  // The region is not fetched: the owner decides.
  assert.equal(await told({}), [undefined, false]);
  assert.equal(await told({ region: 'eu' }), [['owner'], false]);
  assert.equal(await told({}, {}, { includeMeta: true }), [['owner'], false]);
  // What is denied for want of a fact tells nothing, either.
  const { answer } = origin;
  origin.answer = (ids, response, request) =>
    request.url?.startsWith('/regions') === true ? response.writeHead(500).end() : answer(ids, response, request);
  const edit = { resources: [{ resource: { kind: 'doc', id: '1' }, actions: ['edit'] }] };
  assert.equal(await told({}, { onFailure: 'deny' }, edit), [undefined, false]);
  origin.answer = answer;
});

test('metrics count what sources do', async () => {
  const reading = await factsBundle(policy('R.attr.owner == P.id'));
  const server = await startFactsServer(reading, { sources: sources() }, { log });
  open.push(server);
  await view(server);
  origin.answer = (_, response) => response.writeHead(500).end();
  assert.is((await view(server)).status, 503);
  const { text } = await send(server.httpAddress, 'GET', '/_authz/metrics');
  for (const line of [
    'authz_facts_requests_total{source="owners"} 2',
    'authz_facts_failures_total{source="owners"} 1',
    'authz_facts_fetched_total{source="owners"} 1',
    'authz_facts_unknown_total{source="owners"} 1',
    'authz_facts_requests_total{source="regions"} 0',
    'authz_facts_seconds_count{source="owners"} 2',
  ])
    assert.ok(text.includes(line), line);
  await until(() => readFileSync(LOG, 'utf8').includes('source `owners` failed'));
  const admin = await send(server.httpAddress, 'GET', '/admin/sources', undefined, { authorization: ADMIN });
  const { sources: listed } = JSON.parse(admin.text) as {
    readonly sources: readonly { readonly [name: string]: string }[];
  };
  const [owners, regions] = listed;
  const { lastSuccess, lastFailure, ...counts } = owners ?? {};
  assert.equal(counts, {
    name: 'owners',
    requests: '2',
    failures: '1',
    fetched: '1',
    unknown: '1',
    lastError: 'status_500',
  });
  assert.ok((lastSuccess ?? '') <= (lastFailure ?? ''));
  assert.equal(regions, { name: 'regions' });
  assert.is((await send(server.httpAddress, 'GET', '/admin/sources')).status, 401);
});

test('a candidate decides on the facts of the call, and names those that it needs', async () => {
  const { policies } = await factsBundle({
    'doc.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        rules: [
          {
            actions: ['view', 'list'],
            effect: 'EFFECT_ALLOW',
            roles: ['user'],
            condition: { match: { expr: 'R.attr.owner == P.id' } },
          },
          {
            actions: ['view'],
            effect: 'EFFECT_DENY',
            roles: ['user'],
            condition: { match: { expr: 'R.attr.region == "eu"' } },
          },
          {
            actions: ['list'],
            effect: 'EFFECT_ALLOW',
            roles: ['user'],
            condition: { match: { expr: 'P.attr.level > 3' } },
          },
        ],
      },
    }),
  });
  const deciders = makeFactDeciders(policies, { use: [delegation()] }, () => assert.unreachable());
  const facts = createCandidateFacts(deciders);
  const item = (owner: string, actions: readonly string[], effects: readonly (1 | 2)[]): ShadowItem => ({
    kind: 'check',
    time: 0,
    call: {
      principal: { id: 'ann', roles: ['user'], attr: {}, policyVersion: '', scope: '', actors: [] },
      resources: [{ resource: { kind: 'doc', id: '1', attr: { owner }, policyVersion: '', scope: '' }, actions }],
      auxData: { jwt: {}, jwts: {} },
      includeMeta: false,
    },
    effects: [effects],
    unknown: { principal: ['principal.attr.level'], resources: [['resource.attr.region']] },
  });
  const compared = (asked: ShadowItem) => compare(deciders.engine as never, asked, undefined, facts);
  // Without the third value, `region` would be missing, and the candidate would agree.
  assert.equal(compared(item('ann', ['view'], [1])), { result: 'needs', needs: ['resource.attr.region'] });
  assert.equal(compared(item('bob', ['view'], [2])), { result: 'same' });
  assert.equal(compared(item('bob', ['list'], [2])), { result: 'needs', needs: ['principal.attr.level'] });
  assert.is(compared(item('ann', ['list'], [2])).result, 'different');
  const both = compared(item('ann', ['list', 'view'], [2, 1]));
  assert.ok(both.result === 'different' && both.differences.length === 1);
  assert.equal(both.result === 'different' && both.needs, ['resource.attr.region']);
  // No formula says it where rules share a name, or the facts that are read.
  const { policies: sharing } = await factsBundle({
    'doc.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        rules: ['R.attr.owner == P.id', 'R.attr.region == "eu"'].map((expr, index) => ({
          ...(index === 0 && { name: 'rule-002' }),
          actions: [index === 0 ? 'view' : 'list'],
          effect: 'EFFECT_ALLOW',
          roles: ['user'],
          condition: { match: { expr } },
        })),
      },
    }),
  });
  const others = makeFactDeciders(sharing, { use: [delegation()] }, () => assert.unreachable());
  const sharedFacts = createCandidateFacts(others);
  const shared = (asked: ShadowItem) => compare(others.engine as never, asked, undefined, sharedFacts);
  assert.equal(shared(item('ann', ['view'], [1])), { result: 'same' });
  assert.is(shared(item('bob', ['view'], [1])).result, 'different');
  assert.equal(shared(item('ann', ['list'], [2])), { result: 'needs', needs: ['resource.attr.region'] });
  const plan = (unknown: readonly string[]): ShadowItem => ({
    kind: 'plan',
    time: 0,
    call: {
      principal: { id: 'ann', roles: ['user'], attr: { level: 1 }, policyVersion: '', scope: '', actors: [] },
      resource: { kind: 'doc', attr: {}, policyVersion: '', scope: '' },
      actions: ['list'],
      auxData: { jwt: {}, jwts: {} },
    },
    filter: { kind: 'KIND_ALWAYS_DENIED' },
    unknown: { principal: unknown },
  });
  assert.equal(compared(plan(['principal.attr.level', 'principal.attr.team'])), {
    result: 'needs',
    needs: ['principal.attr.level'],
  });
  assert.is(compared(plan(['principal.attr.team'])).result, 'different');
});

test('a call keeps its bundle while its facts are fetched', async () => {
  const before = origin.answer;
  const asked: string[] = [];
  const held: (() => void)[] = [];
  // `regions` is asked in the second round: the owner does not decide.
  origin.answer = (ids, response, { url = '' }) => {
    asked.push(url.split('?')[0] ?? '');
    held.push(() =>
      answerJson(
        response,
        ids.map((id) => ({ id, owner: 'ann', region: 'eu' })),
      ),
    );
  };
  try {
    const server = await startFactsServer(await factsBundle(policy('R.attr.owner == "zoe" || R.attr.region == "eu"')), {
      sources: sources(),
    });
    open.push(server);
    const answer = view(server);
    await until(() => held.length === 1);
    await server.swap(await factsBundle(policy('R.attr.owner == "zoe"')));
    held[0]?.();
    await until(() => held.length === 2);
    held[1]?.();
    assert.match((await answer).text, /EFFECT_ALLOW/);
    assert.equal(asked, ['/owners', '/regions']);
    const next = view(server);
    await until(() => held.length === 3);
    held[2]?.();
    assert.match((await next).text, /EFFECT_DENY/);
    assert.is(asked.length, 3);
  } finally {
    origin.answer = before;
  }
});

test('a call is decided at the instant at which it began to fetch', async () => {
  const { policies } = await factsBundle(policy('R.attr.owner == P.id && now() < timestamp("2020-01-01T00:00:00Z")'));
  // It is 2019 when the call begins, and a year later each time that somebody looks.
  let year = 2018;
  const clock = () => {
    year += 1;
    return { seconds: Date.UTC(year, 5) / 1000, nanos: 0, offset: 0 };
  };
  const deciders = makeFactDeciders(policies, { use: [delegation()], clock }, () => assert.unreachable());
  const source = {
    of: 'doc',
    provides: ['owner'],
    types: { owner: 'string' } as const,
    load: async () => ({ 1: { owner: 'ann' } }),
  };
  const bounds = { atOnce: 64, waiting: 1000 };
  const gatherer = new FactGatherer([source], { deadline: 60_000, caller: 'use', bounds, tell: () => {} });
  const service = new CallFactsService({
    config: { onFailure: 'unavailable', tellNotFound: false },
    gatherer,
    deciders: () => deciders,
    lacked: () => assert.unreachable(),
  });
  const call = {} as Call;
  const question = {
    principal: { id: 'ann', roles: ['user'], attr: {}, policyVersion: '', scope: '', actors: [] },
    resources: [{ resource: { kind: 'doc', id: '1', attr: {}, policyVersion: '', scope: '' }, actions: ['view'] }],
    auxData: { jwt: {}, jwts: {} },
    includeMeta: false,
  };
  await service.fetch(call, { checks: [question] });
  const completed = service.completeCheck(call, question);
  const [decision] = completed.decide(() => deciders.engine.check(completed.question) as never);
  assert.is(decision?.actions[0]?.effect, 1);
});

test('a folder that a server with sources compiles can decide while facts are unknown', () => {
  const file = join(folder, 'sources.json');
  writeFileSync(file, JSON.stringify({ sources: sources() }));
  assert.is(servedParts(loadConfig({ file, environment: {} }).config).facts, true);
  assert.is(servedParts(loadConfig({ environment: {} }).config).facts, false);
});

test.run();
