import { type DescMethod, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { ConfigError } from '../../server/config/config-error.js';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { AUTHZEN_SERVICE } from '../../server/service/services.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { freePort } from '../support/free-port.js';
import { registry } from '../support/protobuf.js';
import { send } from '../support/server/http-client.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { tableFile } from '../support/sql/table-file.js';

/** Searches of rows: hostile requests and tokens, every protocol, databases that are slow or away, and configurations. */
const test = suite('AuthZEN searches of rows');

const POLICIES = {
  'note.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.owner == P.id || P.attr.level > 5 } }
    - actions: [match]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.owner.matches("^a+$") } }
    - actions: [pattern]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: P.id.matches("^a+n+$") } }
    - actions: [staff]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: P.attr.desk == "front" } }
    - actions: [manage]
      effect: EFFECT_ALLOW
      roles: [manager]
`,
  'memo.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
`,
};
const TABLES = tableFile({
  principal: ['people', { level: 'integer' }],
  note: ['notes', { owner: 'text' }],
  lost: ['nowhere', { desk: 'text' }],
});
const ROWS = `
CREATE TABLE people (id text PRIMARY KEY, level integer);
INSERT INTO people VALUES ('ann', 1), ('ben', 9), ('cat', NULL);
CREATE TABLE notes (id text PRIMARY KEY, owner text);
INSERT INTO notes SELECT 'n' || n, CASE WHEN n % 2 = 0 THEN 'ann' ELSE 'cat' END FROM generate_series(1, 9) AS n;
`;

const HOSTILE = [
  "'; DROP TABLE notes; --",
  "' OR ''='",
  '"; DROP TABLE people; --',
  'note"',
  '$1',
  '$1::text',
  '%',
  '\0',
  'a\0b',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  'prototype',
  'principal',
  '../note',
  'NOTE',
  ' note',
  'x'.repeat(100_000),
];

interface Answer {
  readonly status: number;
  readonly json: {
    readonly code?: number;
    readonly message?: string;
    readonly decision?: boolean;
    readonly results?: readonly { readonly type?: string; readonly id?: string; readonly name?: string }[];
    readonly page?: { readonly next_token: string };
  };
}

interface AuditEntry {
  readonly method?: string;
  readonly checkResources?: {
    readonly inputs: readonly {
      readonly principal: { readonly id: string };
      readonly resource: { readonly kind: string; readonly id: string };
      readonly actions: readonly string[];
    }[];
  };
  readonly planResources?: {
    readonly input: { readonly principal: { readonly id: string }; readonly resource: { readonly kind: string } };
    readonly output: { readonly filter: { readonly kind: string } };
  };
}

function addTests({ client, url = '', stop }: Cluster): void {
  const folder = mkdtempSync(join(tmpdir(), 'authz-searches-'));
  const tables = join(folder, 'tables.yaml');
  writeFileSync(tables, TABLES);
  const source = (of: string, more: object = {}, sql: object = {}) => ({
    of,
    search: true,
    sql: { url, tables, table: of, maxConnections: 1, ...sql },
    ...more,
  });
  const start = async (
    from: object,
    sources: object = {},
    more: object = {},
    explain = false,
  ): Promise<RunningServer> => {
    const file = join(folder, 'config.json');
    writeFileSync(
      file,
      JSON.stringify({
        server: { httpListenAddr: '127.0.0.1:0', grpcListenAddr: '127.0.0.1:0' },
        sources: { deadline: '60s', from, search: { timeout: '60s', maxConnections: 1 }, ...sources },
        ...more,
      }),
    );
    const { config } = loadConfig({ file, environment: {} });
    const bundle = await loaded(compileTexts(POLICIES, { facts: true, explain }));
    if (!config.audit.enabled) return startServer(config, bundle);
    const output = openSync(join(folder, 'log'), 'a');
    const log = openLog({ output, errors: output, environment: {} });
    return startServer(config, bundle, { log, audit: await openAuditLog(config.audit, assert.unreachable) });
  };
  let server: RunningServer;
  test.before(async () => {
    await client.query(ROWS);
    server = await start({ people: source('principal'), notes: source('note') });
  });
  test.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
    await stop();
  });

  const post = async (path: string, body: object | string, to = server): Promise<Answer> => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const { status, text } = await send(to.httpAddress, 'POST', `/access/v1/${path}`, sent);
    return { status, json: JSON.parse(text) };
  };
  const idsIn = ({ status, json }: Answer): readonly (string | undefined)[] => {
    assert.is(status, 200, JSON.stringify(json));
    return (json.results ?? []).map(({ id, name }) => id ?? name);
  };

  const ann = { type: 'user', id: 'ann' };
  const notesOf = (id: string) => ({
    subject: { type: 'user', id },
    action: { name: 'read' },
    resource: { type: 'note' },
  });
  const readersOf = (id: string) => ({
    subject: { type: 'user' },
    action: { name: 'read' },
    resource: { type: 'note', id },
  });

  test('facts of what the request names come from its source', async () => {
    assert.equal(idsIn(await post('search/resource', notesOf('ann'))), ['n2', 'n4', 'n6', 'n8']);
    assert.is(idsIn(await post('search/resource', notesOf('ben'))).length, 9);
    assert.equal(idsIn(await post('search/subject', readersOf('n1'))), ['ben', 'cat']);
    assert.equal(idsIn(await post('search/subject', readersOf('n2'))), ['ann', 'ben']);
    const actions = await post('search/action', { subject: ann, resource: { type: 'note', id: 'n2' } });
    assert.equal(idsIn(actions), ['pattern', 'read']);
  });

  test('a subject has the roles that the request names, or its type', async () => {
    const managers = { ...readersOf('n1'), action: { name: 'manage' } };
    assert.equal(idsIn(await post('search/subject', managers)), []);
    const named = { ...managers, subject: { type: 'user', properties: { 'authz.roles': ['manager'] } } };
    assert.equal(idsIn(await post('search/subject', named)), ['ann', 'ben', 'cat']);
  });

  test('all protocols answer alike', async () => {
    const grpc = new Client(server.grpcAddress, credentials.createInsecure());
    try {
      for (const [name, path, body] of [
        ['ResourceSearch', 'search/resource', { ...notesOf('ann'), page: { limit: 2 } }],
        ['ResourceSearch', 'search/resource', { ...notesOf('ann'), page: { token: 'AAAA' } }],
        ['ResourceSearch', 'search/resource', { ...notesOf('ann'), action: { name: 'match' } }],
        ['SubjectSearch', 'search/subject', { ...readersOf('n1'), page: { limit: 1 } }],
        ['SubjectSearch', 'search/subject', { subject: { type: 'user' }, action: { name: 'read' } }],
      ] as const) {
        const { json: rest } = await post(path, body);
        const method = registry.getService(AUTHZEN_SERVICE)?.methods.find((one) => one.name === name) as DescMethod;
        const full = `/${AUTHZEN_SERVICE}/${name}`;
        const connect = JSON.parse(
          (
            await send(server.httpAddress, 'POST', full, JSON.stringify(body), {
              'content-type': 'application/json',
            })
          ).text,
        ) as Answer['json'];
        const { input } = method;
        const bytes = Buffer.from(toBinary(input, fromJson(input, body as unknown as JsonValue)));
        const over = await overGrpc(grpc, full, method, bytes);
        if (rest.code === undefined) {
          assert.equal(connect, rest, name);
          assert.equal(over, rest, name);
        } else {
          assert.is(connect.message, rest.message);
          assert.equal(over, { code: rest.code, message: rest.message });
        }
      }
    } finally {
      grpc.close();
    }
  });

  test('hostile types, ids, names and properties find nothing, or are bad requests, and change nothing', async () => {
    for (const text of HOSTILE)
      for (const [path, body] of [
        ['search/subject', { ...readersOf('n1'), subject: { type: text } }],
        ['search/subject', readersOf(text)],
        ['search/subject', { ...readersOf('n1'), resource: { type: text, id: 'n1' } }],
        ['search/subject', { ...readersOf('n1'), action: { name: text } }],
        ['search/resource', { ...notesOf('ann'), resource: { type: text } }],
        ['search/resource', notesOf(text)],
        ['search/resource', { ...notesOf('ann'), subject: { type: text, id: 'ann' } }],
        ['search/resource', { ...notesOf('ann'), action: { name: text } }],
        ['search/action', { subject: { type: 'user', id: text }, resource: { type: 'note', id: 'n1' } }],
        ['search/action', { subject: ann, resource: { type: 'note', id: text } }],
        ['search/action', { subject: ann, resource: { type: text, id: 'n1' } }],
      ] as const) {
        const { status, json } = await post(path, body);
        const said = `${path} ${JSON.stringify(body).slice(0, 200)} ${JSON.stringify(json).slice(0, 300)}`;
        assert.ok(status === 200 || status === 400, said);
        if (status === 200) assert.equal(json.results, [], said);
      }
    for (const name of HOSTILE) {
      const properties = { [name]: name };
      assert.is(
        (await post('search/resource', { ...notesOf('ann'), subject: { ...ann, properties } })).status < 500,
        true,
      );
      assert.is(
        (await post('search/subject', { ...readersOf('n1'), subject: { type: 'user', properties } })).status < 500,
        true,
      );
    }
    const { rows } = await client.query(
      'SELECT (SELECT count(*) FROM notes) AS notes, (SELECT count(*) FROM people) AS people',
    );
    assert.equal(rows, [{ notes: '9', people: '3' }]);
  });

  test('properties that rows have are refused for what is searched', async () => {
    const levels = { ...readersOf('n1'), subject: { type: 'user', properties: { level: 9 } } };
    const subjects = await post('search/subject', levels);
    assert.is(subjects.status, 400);
    assert.match(subjects.json.message ?? '', /^subject\.properties\.level: comes from the rows/);
    const resources = await post('search/resource', {
      ...notesOf('ann'),
      resource: { type: 'note', properties: { owner: 'ann' } },
    });
    assert.is(resources.status, 400);
  });

  test('limits are counts, and as large as the configuration allows', async () => {
    for (const [limit, count] of [
      [0, 9],
      [1, 1],
      [9, 9],
      [4294967295, 9],
      [undefined, 9],
    ] as const) {
      const { json } = await post('search/resource', { ...notesOf('ben'), page: { limit } });
      assert.is(json.results?.length, count, `${limit}`);
      assert.is(json.page?.next_token === '', count === 9);
    }
    for (const limit of [-1, 0.5, 1.5, 1e10, 'many', null, true, [], {}]) {
      const { status } = await post('search/resource', { ...notesOf('ben'), page: { limit } });
      assert.is(status, limit === null ? 200 : 400, JSON.stringify(limit));
    }
    const small = await start(
      { people: source('principal'), notes: source('note') },
      {
        search: { maxPageSize: 2, timeout: '60s', maxConnections: 1 },
      },
    );
    try {
      const { json } = await post('search/resource', { ...notesOf('ben'), page: { limit: 100 } }, small);
      assert.is(json.results?.length, 2);
      const first = await post('search/resource', notesOf('ben'), small);
      assert.ok(first.json.page?.next_token, 'a page that is not asked for has a token, too');
    } finally {
      await small.close();
    }
  });

  test('a token is one of its request alone', async () => {
    const request = { ...notesOf('ben'), page: { limit: 2 } };
    const { json } = await post('search/resource', request);
    const token = json.page?.next_token ?? '';
    const next = await post('search/resource', { ...notesOf('ben'), page: { token } });
    assert.equal(idsIn(next), ['n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9']);
    // The id of what is searched is no part of the request.
    const named = { ...notesOf('ben'), resource: { type: 'note', id: 'other' } };
    assert.equal(idsIn(await post('search/resource', { ...named, page: { token } })), idsIn(next));
    for (const other of [
      notesOf('ann'),
      { ...notesOf('ben'), action: { name: 'manage' } },
      { ...notesOf('ben'), resource: { type: 'memo' } },
      { ...notesOf('ben'), resource: { type: 'note', properties: { 'authz.scope': 'acme' } } },
      { ...notesOf('ben'), subject: { type: 'user', id: 'ben', properties: { 'authz.scope': 'acme' } } },
      { ...notesOf('ben'), context: { tenant: 'acme' } },
    ])
      assert.is((await post('search/resource', { ...other, page: { token } })).status, 400, JSON.stringify(other));
    assert.is((await post('search/subject', { ...readersOf('n1'), page: { token } })).status, 400);
    const bytes = Buffer.from(token, 'base64url');
    const forged = (id: string): string =>
      Buffer.concat([bytes.subarray(0, 16), Buffer.from(id)]).toString('base64url');
    // A forged id is only a place to go on at.
    assert.equal(idsIn(await post('search/resource', { ...notesOf('ben'), page: { token: forged('n8') } })), ['n9']);
    assert.equal(idsIn(await post('search/resource', { ...notesOf('ann'), page: { token: '' } })).length, 4);
    for (const id of ["' OR 1=1; --", "'; DROP TABLE notes; --", '\u{1f600}'])
      assert.is((await post('search/resource', { ...notesOf('ben'), page: { token: forged(id) } })).status, 200, id);
    for (const id of ['a\0b', '\0', 'x'.repeat(50_000)])
      assert.is(
        (await post('search/resource', { ...notesOf('ben'), page: { token: forged(id) } })).status,
        400,
        id.slice(0, 9),
      );
    assert.equal((await client.query('SELECT count(*) FROM notes')).rows, [{ count: '9' }]);
  });

  test('duplicate keys are bad requests', async () => {
    const body = JSON.stringify(notesOf('ann')).replace('"id":"ann"', '"id":"ann","id":"ben"');
    assert.is((await post('search/resource', body)).status, 400);
  });

  test('what has no exact SQL fails with its reason', async () => {
    const { status, json } = await post('search/resource', { ...notesOf('ann'), action: { name: 'match' } });
    assert.is(status, 400);
    assert.is(json.code, 9);
    assert.match(json.message ?? '', /^the search cannot be exact: cannot be translated to SQL exactly: `.*matches/);
    // Subjects are decided one by one, whatever the condition.
    assert.equal(idsIn(await post('search/subject', { ...readersOf('n1'), action: { name: 'match' } })), []);
  });

  test('bundles that explain plan subjects, so that only those of a plan are decided', async () => {
    const from = { people: source('principal'), notes: source('note') };
    const sources = { search: { maxRows: 1, timeout: '60s', maxConnections: 1 } };
    for (const [explain, audit] of [
      [false, false],
      [true, false],
      [true, true],
    ] as const) {
      const more = audit
        ? { audit: { enabled: true, backend: 'file', file: { path: join(folder, 'audit.log') } } }
        : {};
      const one = await start(from, sources, more, explain);
      try {
        // Without a plan, the first row is decided, and denied.
        assert.equal(idsIn(await post('search/subject', readersOf('n1'), one)), explain ? ['ben'] : []);
        // A condition that no database evaluates is decided row by row.
        const matching = { ...readersOf('n1'), action: { name: 'pattern' } };
        assert.equal(idsIn(await post('search/subject', matching, one)), ['ann']);
      } finally {
        await one.close();
      }
    }
  });

  test('the audit log has the plan of a search of resources, and a decision for each subject that is found', async () => {
    const path = join(folder, 'searches.log');
    const from = { people: source('principal'), notes: source('note') };
    const one = await start(from, {}, { audit: { enabled: true, backend: 'file', file: { path } } });
    try {
      assert.equal(idsIn(await post('search/subject', readersOf('n1'), one)), ['ben', 'cat']);
      assert.is(idsIn(await post('search/resource', notesOf('ann'), one)).length, 4);
    } finally {
      await one.close();
    }
    const entries = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry);
    const checked = entries.flatMap(({ checkResources }) => checkResources?.inputs ?? []);
    assert.equal(
      checked.map(({ principal, resource, actions }) => [principal.id, resource.kind, resource.id, actions]),
      ['ben', 'cat'].map((id) => [id, 'note', 'n1', ['read']]),
    );
    const planned = entries.flatMap(({ planResources }) => planResources ?? []);
    assert.equal(
      planned.map(({ input, output }) => [input.principal.id, input.resource.kind, output.filter.kind]),
      [['ann', 'note', 'KIND_CONDITIONAL']],
    );
    assert.ok(entries.some(({ method }) => method === `/${AUTHZEN_SERVICE}/SubjectSearch`));
  });

  test('a kind of the policies without rows to search fails, and says what to do', async () => {
    const { status, json } = await post('search/resource', { ...notesOf('ann'), resource: { type: 'memo' } });
    assert.is(status, 400);
    assert.match(json.message ?? '', /^no source of `memo` may be searched: set `search`/);
  });

  test('a row that comes or goes between pages neither repeats nor hides others', async () => {
    const first = await post('search/resource', { ...notesOf('ben'), page: { limit: 3 } });
    await client.query("DELETE FROM notes WHERE id IN ('n1', 'n3')");
    await client.query("INSERT INTO notes VALUES ('n0', 'ann'), ('n35', 'ann')");
    try {
      const token = first.json.page?.next_token;
      const rest = idsIn(await post('search/resource', { ...notesOf('ben'), page: { token } }));
      assert.equal(rest, ['n35', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9']);
    } finally {
      await client.query(
        "DELETE FROM notes WHERE id IN ('n0', 'n35'); INSERT INTO notes VALUES ('n1', 'cat'), ('n3', 'cat')",
      );
    }
  });

  test('a database that is slow fails the search, and one that is away too', async () => {
    const slow = await start({ people: source('principal'), notes: source('note') }, { search: { timeout: '200ms' } });
    await client.query('BEGIN; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
    try {
      const { status, json } = await post('search/resource', notesOf('ben'), slow);
      assert.is(status, 504, JSON.stringify(json));
      assert.is(json.message, 'the search took longer than `sources.search.timeout`');
    } finally {
      await client.query('ROLLBACK');
      await slow.close();
    }
    const nowhere = { url: `postgresql://authz@127.0.0.1:${await freePort()}/postgres` };
    const away = await start({ people: source('principal', {}, nowhere), notes: source('note', {}, nowhere) });
    try {
      for (const [path, body] of [
        ['search/subject', readersOf('n1')],
        ['search/resource', notesOf('ann')],
        ['search/action', { subject: ann, resource: { type: 'note', id: 'n1' } }],
      ] as const) {
        const { status, json } = await post(path, body, away);
        assert.is(status, 503, path);
        assert.is(json.message, 'the rows to search cannot be read');
      }
      // A bad request is one, whatever the database.
      assert.is((await post('search/resource', { subject: ann }, away)).status, 400);
    } finally {
      await away.close();
    }
  });

  test('a fact that cannot be read fails a search, and is no denial', async () => {
    const lost = source('principal', { search: false }, { table: 'lost' });
    const denying = await start({ people: source('principal'), notes: source('note'), lost }, { onFailure: 'deny' });
    try {
      const evaluated = { subject: ann, action: { name: 'staff' }, resource: { type: 'note', id: 'n1' } };
      assert.equal((await post('evaluation', evaluated, denying)).json, { decision: false });
      for (const [path, body] of [
        ['search/subject', { ...readersOf('n1'), action: { name: 'staff' } }],
        ['search/resource', { ...notesOf('ann'), action: { name: 'staff' } }],
        ['search/action', { subject: ann, resource: { type: 'note', id: 'n1' } }],
      ] as const) {
        const { status, json } = await post(path, body, denying);
        assert.is(status, 503, `${path} ${JSON.stringify(json)}`);
      }
    } finally {
      await denying.close();
    }
  });

  test('only what the configuration releases is searched, and metadata say what that is', async () => {
    for (const [from, named] of [
      [{ people: source('principal'), notes: source('note', { search: false }) }, ['subject']],
      [{ people: source('principal', { search: false }), notes: source('note') }, ['resource']],
      [{ people: source('principal', { search: false }) }, []],
    ] as const) {
      const some = await start(from);
      try {
        const { text } = await send(some.httpAddress, 'GET', '/.well-known/authzen-configuration');
        const metadata = JSON.parse(text) as object;
        for (const [searched, body] of [
          ['subject', readersOf('n1')],
          ['resource', notesOf('ann')],
        ] as const) {
          const isNamed = (named as readonly string[]).includes(searched);
          assert.is(Object.hasOwn(metadata, `search_${searched}_endpoint`), isNamed, searched);
          assert.is((await post(`search/${searched}`, body, some)).status, isNamed ? 200 : 501, searched);
        }
      } finally {
        await some.close();
      }
    }
    const others = await start({ people: source('principal', { subjectType: 'employee' }), notes: source('note') });
    try {
      assert.equal(idsIn(await post('search/subject', readersOf('n1'), others)), []);
      const employees = { ...readersOf('n1'), subject: { type: 'employee', properties: { 'authz.roles': ['user'] } } };
      assert.equal(idsIn(await post('search/subject', employees, others)), ['ben', 'cat']);
    } finally {
      await others.close();
    }
  });

  test('configurations that cannot be searched are refused', async () => {
    const http = { http: { url: 'https://h/p?ids={ids}' }, provides: { a: 'string' } };
    for (const [from, more, message] of [
      [{ a: { of: 'note', search: true, ...http } }, {}, /needs `sql`: rows of a table/],
      [{ a: source('note', { key: 'resource.attr.folder' }) }, {}, /needs rows that are found by their id/],
      [{ a: source('note', { subjectType: 'user' }) }, {}, /needs `of: principal` and `search: true`/],
      [
        { a: source('principal', { search: false, subjectType: 'user' }) },
        {},
        /needs `of: principal` and `search: true`/,
      ],
      [{ a: source('note'), b: source('note', { provides: [] }) }, {}, /./],
      [
        { a: source('note') },
        { engine: { plan: { referenceShapes: true } } },
        /contradicts `search: true` of a source/,
      ],
      [{ a: source('note') }, { engine: { plan: { missing: 'nulls' } } }, /contradicts `search: true` of a source/],
      [
        { a: source('principal') },
        {
          server: { authzen: { subject: 'token' } },
          auxData: { jwt: { keySets: [{ id: 'k', local: { file: tables } }] } },
        },
        /contradicts `search: true` of a source of principals/,
      ],
    ] as const)
      try {
        await (await start(from, {}, more)).close();
        assert.unreachable(String(message));
      } catch (error) {
        assert.instance(error, ConfigError, String(error));
        assert.match((error as Error).message, message);
      }
  });
}

function overGrpc(grpc: Client, full: string, { output }: DescMethod, bytes: Buffer): Promise<unknown> {
  const same = (message: Buffer): Buffer => message;
  return new Promise((resolve) => {
    grpc.makeUnaryRequest(full, same, same, bytes, (error: ServiceError | null, reply?: Buffer) => {
      resolve(
        error === null
          ? toJson(output, fromBinary(output, reply as Buffer))
          : { code: error.code, message: error.details },
      );
    });
  });
}

const cluster = await startCluster(await freePort());
if (typeof cluster === 'string') skip(import.meta.url, cluster);
else addTests(cluster);
test.run();
