import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FactGatherer } from '../../runtime/facts/gather.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { loadConfig } from '../../server/config.js';
import type { Bundle, RunningServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { OtlpReceiver } from '../support/server/otlp-receiver.js';
import { PROTOCOLS, type Protocol, type Question } from '../support/facts/protocols.js';
import { ADMIN, answerJson, factsBundle, type Origin, startFactsServer, startOrigin } from '../support/facts/served.js';
import { send } from '../support/server/http-client.js';

/*
 * Sources that are asked with the credentials of callers: what one caller may read decides no call of another one, and
 * credentials are shown to nobody else.
 */

const test = suite('sources that credentials are forwarded to');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.region == P.attr.region}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: P.attr.level > 1}}}
`;

const HIGH = 'Bearer aa.high-secret.bb';
const LOW = 'Basic bG93OnNlY3JldA==';
/** What those who have a token may read of themselves. */
const LEVELS: { readonly [authorization: string]: number } = { [HIGH]: 5, [LOW]: 0 };

const question = (action: string, authorization?: string): Question => ({
  principal: { id: 'ann', roles: ['user'] },
  kind: 'doc',
  id: '1',
  action,
  ...(authorization !== undefined && { authorization }),
});

const folder = mkdtempSync(join(tmpdir(), 'authz-facts-forwarded-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'own-secret');

let bundle: Bundle;
let origin: Origin;
let other: Origin;
let server: RunningServer;

const sources = (): object => ({
  deadline: '60s',
  from: {
    people: {
      of: 'principal',
      provides: { level: 'number' },
      http: { url: `${origin.url}/people?ids={ids}`, forward: 'authorization' },
    },
    regions: { of: 'principal', provides: { region: 'string' }, http: { url: `${other.url}/regions?ids={ids}` } },
    docs: { of: 'doc', provides: { region: 'string' }, http: { url: `${other.url}/docs?ids={ids}`, tokenFile } },
  },
});

/** Answers by the credentials, as a server does that lets callers read different things. */
const byToken: Origin['answer'] = (ids, response, { headers: { authorization = '' } }) => {
  const level = LEVELS[authorization];
  if (level === undefined) response.writeHead(401).end();
  else
    answerJson(
      response,
      ids.map((id) => ({ id, level })),
    );
};

test.before(async () => {
  bundle = await factsBundle({ 'doc.yaml': POLICY });
  origin = await startOrigin();
  other = await startOrigin();
  other.answer = (ids, response) =>
    answerJson(
      response,
      ids.map((id) => ({ id, region: 'eu' })),
    );
  server = await startFactsServer(bundle, { sources: sources() });
});
test.after(async () => {
  await server.close();
  await origin.close();
  await other.close();
  rmSync(folder, { recursive: true });
});
test.before.each(() => {
  origin.answer = byToken;
  origin.requests.length = 0;
  other.requests.length = 0;
});

const sentTo = ({ requests }: Origin) => requests.map(({ headers }) => headers.authorization);

/** The admin's credentials are for the server itself. */
const isOfAdmin = ({ name }: Protocol): boolean => name === 'ExplainDecision';

for (const protocol of PROTOCOLS.filter((one) => !isOfAdmin(one))) {
  test(`${protocol.name}: a source is asked with the credentials of the caller, and no other source is`, async () => {
    assert.is(await protocol.ask(server, question('edit', HIGH)), 'allow');
    assert.is(await protocol.ask(server, question('edit', LOW)), 'deny');
    assert.equal(sentTo(origin), [HIGH, LOW]);
    origin.requests.length = 0;
    assert.is(await protocol.ask(server, question('view', HIGH)), 'allow');
    // A search of actions asks about all of them.
    for (const sent of sentTo(origin)) assert.is(sent, HIGH);
    for (const { headers, url } of other.requests)
      assert.is(headers.authorization, url?.startsWith('/docs') ? 'Bearer own-secret' : undefined);
    assert.ok(other.requests.length > 0);
  });

  test(`${protocol.name}: nobody is asked without credentials`, async () => {
    assert.is(await protocol.ask(server, question('edit')), 'unavailable');
    assert.is(await protocol.ask(server, question('edit', 'Bearer nobody')), 'unavailable');
    assert.equal(sentTo(origin), ['Bearer nobody']);
  });
}

test('the credentials of the admin are not forwarded', async () => {
  const explain = PROTOCOLS.find(isOfAdmin) as Protocol;
  assert.is(await explain.ask(server, question('edit')), 'unavailable');
  assert.is(await explain.ask(server, question('view')), 'allow');
  assert.equal(origin.requests, []);
  assert.ok(other.requests.every(({ headers }) => headers.authorization !== ADMIN));
});

test('callers with different credentials never share a request', async () => {
  const asked = PROTOCOLS.filter((one) => !isOfAdmin(one)).flatMap((protocol) =>
    [HIGH, LOW, HIGH, LOW].map((authorization) => ({ protocol, authorization })),
  );
  // All of them are asked before the first is answered.
  const held: (() => void)[] = [];
  origin.answer = (...asking) => {
    held.push(() => byToken(...asking));
    if (held.length === asked.length) for (const answer of held.reverse()) answer();
  };
  const outcomes = await Promise.all(
    asked.map(({ protocol, authorization }) => protocol.ask(server, question('edit', authorization))),
  );
  for (const [index, { protocol, authorization }] of asked.entries())
    assert.is(outcomes[index], authorization === HIGH ? 'allow' : 'deny', protocol.name);
  assert.is(origin.requests.length, asked.length);
});

/** Sends a header as often as it has values. */
function edit(
  address: string,
  authorization: readonly string[],
): Promise<{ readonly status: number; readonly text: string }> {
  const [host, port] = address.split(':');
  const { principal, kind, id, action } = question('edit');
  return new Promise((resolve, reject) => {
    const headers = [
      ...['content-type', 'application/json', 'host', address],
      ...authorization.flatMap((value) => ['authorization', value]),
    ];
    const call = httpRequest(
      { host, port, method: 'POST', path: '/api/check/resources', headers, agent: false },
      (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    call.on('error', reject);
    call.end(JSON.stringify({ principal, resources: [{ resource: { kind, id }, actions: [action] }] }));
  });
}

test('credentials that can be read in several ways are not forwarded', async () => {
  for (const values of [[HIGH, LOW], [HIGH, HIGH], [''], ['Bearer \u00e9'], ['Bearer a\tb']]) {
    const { status, text } = await edit(server.httpAddress, values);
    assert.is(status, 503, text);
  }
  assert.equal(origin.requests, []);
  assert.is((await edit(server.httpAddress, [HIGH])).status, 200);
  assert.equal(sentTo(origin), [HIGH]);
});

test('redirects take credentials nowhere', async () => {
  for (const to of [`${other.url}/people?ids=ann`, `${origin.url}/others?ids=ann`]) {
    origin.requests.length = 0;
    origin.answer = (_, response) => response.writeHead(307, { location: to }).end();
    assert.is(await (PROTOCOLS[0] as Protocol).ask(server, question('edit', HIGH)), 'unavailable');
    assert.is(origin.requests.length, 1);
    assert.equal(other.requests, []);
  }
});

test('credentials are in no log, audit entry, trace, metric, or answer', async () => {
  const receiver = new OtlpReceiver();
  const collector = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_TRACES_SAMPLER: 'always_on',
  };
  Object.assign(process.env, collector);
  const [LOG, AUDIT] = [join(folder, 'log'), join(folder, 'audit.log')];
  const file = openSync(LOG, 'a');
  const log = openLog({ output: file, errors: file, environment: {}, level: 'debug' });
  const audit = { enabled: true, backend: 'file', includeMetadataKeys: ['authorization'], file: { path: AUDIT } };
  const { config } = loadConfig({
    sets: ['audit.enabled=true', 'audit.backend=file', `audit.file.path=${AUDIT}`],
    environment: {},
  });
  const told: string[] = [];
  try {
    const own = await startFactsServer(
      bundle,
      { sources: sources(), audit },
      { log, audit: await openAuditLog(config.audit, (message) => assert.unreachable(message)) },
    );
    const faults: readonly Origin['answer'][] = [
      byToken,
      (_, response) => response.writeHead(500).end(),
      (_, response) => response.writeHead(307, { location: other.url }).end(),
      (_, response, { headers }) => answerJson(response, { error: headers.authorization }),
      (_, response) => response.destroy(),
    ];
    for (const fault of faults) {
      origin.answer = fault;
      for (const authorization of [HIGH, LOW]) {
        for (const protocol of PROTOCOLS.filter((one) => !isOfAdmin(one)))
          told.push(await protocol.ask(own, question('edit', authorization)));
        told.push((await edit(own.httpAddress, [authorization])).text);
      }
      told.push((await edit(own.httpAddress, [HIGH, LOW])).text);
    }
    for (const path of ['/admin/sources', '/_authz/metrics'])
      told.push((await send(own.httpAddress, 'GET', path, undefined, { authorization: ADMIN })).text);
    await own.close();
  } finally {
    for (const name of Object.keys(collector)) delete process.env[name];
    receiver.close();
  }
  const spans = JSON.stringify(receiver.spans, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const written = { told: told.join('\n'), log: readFileSync(LOG, 'utf8'), audit: readFileSync(AUDIT, 'utf8'), spans };
  for (const [name, text] of Object.entries(written)) {
    // What is searched has something about these calls.
    assert.match(text, name === 'audit' ? /"ann"/ : /people/, name);
    for (const secret of ['high-secret', LOW.slice(6), 'low:secret', 'own-secret'])
      assert.not.match(text, secret, `${name} has ${secret}`);
  }
  assert.match(written.told, /no_authorization|status_500/);
});

test('what is fetched with credentials is not kept', () => {
  const people = { of: 'principal', provides: { level: 'number' } };
  const http = { url: 'https://hr.internal/people?ids={ids}', forward: 'authorization' };
  const problemsOf = (source: object): string => {
    const own = join(folder, 'config.yaml');
    writeFileSync(own, JSON.stringify({ sources: { from: { people: source } } }));
    try {
      loadConfig({ file: own, environment: {} });
      return '';
    } catch (error) {
      return String((error as Error).message);
    }
  };
  assert.is(problemsOf({ ...people, http }), '');
  assert.is(problemsOf({ ...people, http, cache: { maxAge: '0s' } }), '');
  for (const cache of [{ maxAge: '1s' }, { maxStale: '1s' }])
    assert.match(problemsOf({ ...people, http, cache }), /sources\.from\.people\.cache.*`http\.forward`/s);
  assert.match(problemsOf({ ...people, http: { ...http, tokenFile } }), /http\.forward.*`tokenFile`/s);
  assert.match(problemsOf({ ...people, http: { ...http, forward: 'cookie' } }), /forward/);
  // Whoever makes sources otherwise is told as well.
  const source = {
    of: 'principal',
    provides: ['level'],
    types: { level: 'any' as const },
    load: () => [],
    forwards: true,
  };
  const options = { deadline: 1000, caller: 'use' as const, bounds: { atOnce: 1, waiting: 0 }, tell: () => {} };
  for (const cache of [{ maxAge: 1 }, { maxStale: 1 }])
    assert.throws(() => new FactGatherer([{ ...source, cache }], options), /must not be kept/);
});

test.run();
