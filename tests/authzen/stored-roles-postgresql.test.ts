import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BundleText } from '../../server/bundle/read-bundle.js';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { evaluateBundleText } from '../../server/swap/evaluate-bundle.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { freePort } from '../support/free-port.js';
import { Random } from '../support/oracle/random.js';
import { send } from '../support/server/http-client.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';

/**
 * Searches of a server whose users have their roles in tables, and whose resources have related rows: what evaluations of the ids allow,
 * without one more or less.
 */
const test = suite('searches with roles and related rows of a database');

const TABLES = `
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE role_names (id integer PRIMARY KEY, name text);
CREATE TABLE members (
  id text PRIMARY KEY, department text, level integer, disabled boolean NOT NULL DEFAULT false,
  list jsonb, words text[], role text, scope text
);
CREATE TABLE member_roles (member text, role text, role_id integer, revoked_at timestamptz);
CREATE TABLE folders (id bigint PRIMARY KEY, locked boolean, keeper text, parent bigint);
CREATE TABLE docs (id text PRIMARY KEY, owner_id text, folder bigint, kind text);
CREATE TABLE shares (doc text, member text, level integer, hidden boolean);
CREATE TABLE tags (doc text, tag text);
`;

const text = (column: string) => ({ column, type: 'text' });
/** The ways in which users have roles, with a statement that says which ones each has. */
const ROLES = {
  list: { column: 'list', type: 'list' },
  words: { column: 'words', type: 'text[]' },
  column: text('role'),
  'one step': {
    relation: 'many',
    table: 'member_roles',
    on: { member: 'id' },
    where: { revoked_at: null },
    value: text('role'),
  },
  'two steps': {
    relation: 'many',
    table: 'member_roles',
    on: { member: 'id' },
    where: { revoked_at: null },
    columns: {
      role: {
        relation: 'one',
        table: 'role_names',
        on: { id: 'role_id' },
        unique: true,
        columns: { name: text('name') },
      },
    },
  },
} as const;

const member = {
  relation: 'one',
  table: 'members',
  on: { id: 'owner_id' },
  unique: true,
  where: { disabled: false },
  columns: { department: text('department'), level: { column: 'level', type: 'integer' } },
};
const DOC = {
  name: 'docs',
  id: { column: 'id', type: 'text', nulls: 'never' },
  columns: {
    kind: text('kind'),
    owner: member,
    folder: {
      relation: 'one',
      table: 'folders',
      on: { id: 'folder' },
      columns: { locked: { column: 'locked', type: 'boolean' }, keeper: { ...member, on: { id: 'keeper' } } },
    },
    shares: {
      relation: 'many',
      table: 'shares',
      on: { doc: 'id' },
      where: { hidden: false },
      columns: { member: text('member'), level: { column: 'level', type: 'integer' } },
    },
    tags: { relation: 'many', table: 'tags', on: { doc: 'id' }, value: text('tag') },
    folders: {
      relation: 'many',
      table: 'folders',
      on: { id: 'folder' },
      closure: { id: 'parent' },
      columns: {
        locked: { column: 'locked', type: 'boolean' },
        keeper: { ...member, on: { id: 'keeper' } },
        beside: { relation: 'many', table: 'folders', on: { parent: 'id' }, value: text('keeper') },
      },
    },
    keepers: {
      relation: 'many',
      table: 'folders',
      on: { id: 'folder' },
      closure: { id: 'parent' },
      where: { locked: false },
      value: text('keeper'),
    },
  },
};

/** Conditions about users, rows and related rows. */
const CONDITIONS = [
  'R.attr.owner.department == P.attr.department',
  'R.attr.owner.level > 3',
  'R.attr.folder.locked == true',
  '!has(R.attr.folder)',
  'R.attr.folder.keeper.department == "a"',
  'R.attr.shares.exists(s, s.member == P.id && s.level > 2)',
  'R.attr.shares.all(s, s.level > 1)',
  'R.attr.shares.size() > 1',
  '"x" in R.attr.tags',
  'P.attr.department in R.attr.tags',
  'R.attr.tags.all(t, t != "y")',
  'R.attr.folders.exists(f, f.locked == true)',
  'R.attr.folders.size() > 1',
  'R.attr.folders.all(f, f.keeper.level > 2)',
  'R.attr.folders.exists(f, f.keeper.department == P.attr.department)',
  'R.attr.folders.exists(f, P.id in f.beside)',
  'P.id in R.attr.keepers',
  'R.attr.keepers.size() > 1',
  'R.attr.kind == "x"',
  'P.attr.level > 3',
  'P.scope == "acme"',
  'P.scope != "acme.hr"',
  '"banned" in P.roles',
  'P.roles.exists(r, r == "editor")',
  'P.roles.all(r, r != "viewer")',
  'P.id == "m1" || "editor" in P.roles',
];

interface Answer {
  readonly status: number;
  readonly json: {
    readonly message?: string;
    readonly decision?: boolean;
    readonly results?: readonly { readonly id: string }[];
    readonly page?: { readonly next_token: string };
  };
}

/** Who m1 is decides in a scope, and nowhere else. */
function policyOfM1(scope: string): object {
  const action = { action: 'edit', effect: scope === '' ? 'EFFECT_ALLOW' : 'EFFECT_DENY' };
  return { principal: 'm1', version: 'default', scope, rules: [{ resource: 'doc', actions: [action] }] };
}

const MEMBERS = 10;
const DOCS = 10;

function addTests({ client, url = '', stop }: Cluster): void {
  const folder = mkdtempSync(join(tmpdir(), 'authz-stored-roles-'));
  const tables = join(folder, 'tables.json');
  test.before(async () => {
    await client.query(TABLES);
  });
  test.after(async () => {
    rmSync(folder, { recursive: true });
    await stop();
  });

  const writeTables = (roles: object, doc: object = DOC, users: object = {}): void => {
    const own = {
      name: 'members',
      id: { column: 'id', type: 'text', nulls: 'never' },
      where: { disabled: false },
      roles,
      columns: { department: text('department'), level: { column: 'level', type: 'integer' } },
      ...users,
    };
    writeFileSync(tables, JSON.stringify({ users: own, tables: { doc } }));
  };
  const configure = (more: object = {}, from: object = {}, keys: object = {}) => {
    const file = join(folder, 'config.json');
    const sql = { url, tables, maxConnections: 2 };
    const sources = {
      deadline: '60s',
      search: { timeout: '60s', maxConnections: 1, ...more },
      from: {
        members: { of: 'principal', sql, search: true },
        docs: { of: 'doc', sql: { ...sql, table: 'doc' }, search: true },
        ...from,
      },
    };
    const server = { httpListenAddr: '127.0.0.1:0', grpcListenAddr: '127.0.0.1:0' };
    writeFileSync(file, JSON.stringify({ server, sources, ...keys }));
    return loadConfig({ file, environment: {} }).config;
  };
  const start = async (rules: readonly object[], more: object = {}, explain = false): Promise<RunningServer> => {
    const policies = {
      'doc.yaml': { resourcePolicy: { resource: 'doc', version: 'default', rules } },
      ...Object.fromEntries(['', 'acme'].map((scope) => [`m1${scope}.yaml`, { principalPolicy: policyOfM1(scope) }])),
    };
    const texts = Object.entries(policies).map(([file, policy]) => [
      file,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...policy }),
    ]);
    return startServer(
      configure(more),
      await loaded(compileTexts(Object.fromEntries(texts), { facts: true, explain })),
    );
  };
  const post = async (server: RunningServer, path: string, body: object): Promise<Answer> => {
    const { status, text: answer } = await send(server.httpAddress, 'POST', `/access/v1/${path}`, JSON.stringify(body));
    return { status, json: JSON.parse(answer) };
  };
  /** All pages of a search; undefined if it is refused. */
  const search = async (
    server: RunningServer,
    searched: 'subject' | 'resource',
    body: object,
    limit: number | undefined,
  ): Promise<readonly string[] | undefined> => {
    const found: string[] = [];
    let token = '';
    do {
      const { status, json } = await post(server, `search/${searched}`, { ...body, page: { token, limit } });
      const said = `${JSON.stringify(body)}\n${JSON.stringify(json)}`;
      if (status === 400 && /^the search cannot be exact: ./.test(json.message ?? '')) {
        assert.is(found.length, 0, said);
        return undefined;
      }
      assert.is(status, 200, said);
      found.push(...(json.results ?? []).map(({ id }) => id));
      assert.ok(found.length <= MEMBERS + DOCS, said);
      token = json.page?.next_token ?? '';
    } while (token !== '');
    assert.is(new Set(found).size, found.length);
    return found;
  };
  const userOf = (id: string) => ({ type: 'user', id });
  const docOf = (id: string) => ({ type: 'doc', id });

  const fill = async (random: Random): Promise<void> => {
    const any = <Value>(...values: readonly Value[]): Value => random.pick(values);
    await client.query('TRUNCATE members, member_roles, role_names, folders, docs, shares, tags');
    // One role that is empty, and none with the number 5, which was deleted.
    await client.query("INSERT INTO role_names VALUES (1, 'editor'), (2, 'viewer'), (3, 'banned'), (4, ''), (6, NULL)");
    const names = ['editor', 'viewer', 'banned'];
    for (let index = 0; index < MEMBERS; index += 1) {
      const id = `m${index}`;
      const roles = Array.from({ length: any(0, 1, 1, 2, 3) }, () =>
        random.chance(0.08) ? any<string | null>('', null) : random.pick(names),
      );
      await client.query('INSERT INTO members VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
        id,
        any('a', 'b', 'A', null),
        any(1, 5, null),
        random.chance(0.15),
        any(JSON.stringify(roles), JSON.stringify(roles), JSON.stringify(roles), 'null', null, '5', '[5]', '{}'),
        random.chance(0.1) ? null : roles,
        any('editor', 'viewer', 'banned', '', null),
        any('acme', 'acme.hr', '', null),
      ]);
      for (const role of roles)
        await client.query('INSERT INTO member_roles VALUES ($1, $2, $3, $4)', [
          id,
          role,
          any(1, 1, 2, 2, 3, 4, 5, 6, null),
          random.chance(0.2) ? '2020-01-01Z' : null,
        ]);
    }
    for (const id of ['1', '2', '9007199254740993'])
      await client.query('INSERT INTO folders VALUES ($1, $2, $3, $4)', [
        id,
        any(true, false, null),
        any('m0', 'm1', 'gone', null),
        any('1', '2', '9007199254740993', '7', null),
      ]);
    for (let index = 0; index < DOCS; index += 1) {
      const id = `d${index}`;
      await client.query('INSERT INTO docs VALUES ($1, $2, $3, $4)', [
        id,
        any('m0', 'm1', 'm2', 'M1', 'gone', null),
        any('1', '2', '9007199254740993', '7', null),
        any('x', 'y', null),
      ]);
      for (let share = any(0, 1, 2, 3); share > 0; share -= 1)
        await client.query('INSERT INTO shares VALUES ($1, $2, $3, $4)', [
          id,
          any('m0', 'm1', 'm3', null),
          any(1, 3, null),
          any(false, false, true, null),
        ]);
      for (let tag = any(0, 1, 2); tag > 0; tag -= 1)
        await client.query('INSERT INTO tags VALUES ($1, $2)', [id, any('x', 'y', 'a', null)]);
    }
  };
  const randomRules = (random: Random): readonly object[] =>
    Array.from({ length: 4 }, (_, index) => ({
      actions: ['view', ...(random.chance(0.5) ? ['edit'] : [])],
      effect: index > 0 && random.chance(0.3) ? 'EFFECT_DENY' : 'EFFECT_ALLOW',
      roles: [random.pick(['editor', 'viewer', '*'])],
      ...(random.chance(0.85) && {
        condition: {
          match: {
            all: {
              of: [
                { expr: random.pick(CONDITIONS) },
                ...(random.chance(0.4) ? [{ expr: random.pick(CONDITIONS) }] : []),
              ],
            },
          },
        },
      }),
    }));

  test('pages are, joined, what evaluations of the ids allow, wherever roles and attributes are', async () => {
    const counts = { searches: 0, refused: 0, subjects: 0, resources: 0, noRoles: 0 };
    const stores = rounds(40, 3);
    for (let seed = SEED; seed < SEED + stores; seed += 1) {
      const random = new Random(seed);
      const way = random.pick(Object.keys(ROLES) as (keyof typeof ROLES)[]);
      const scope = random.pick([undefined, 'acme', { column: 'scope' }]);
      writeTables(ROLES[way], DOC, scope === undefined ? {} : { scope });
      await fill(random);
      const rules = randomRules(random);
      const more = { maxPageSize: random.pick([3, 1000]), maxRows: random.pick([4, 10_000]) };
      const server = await start(rules, more, seed % 2 === 0);
      try {
        for (const name of ['view', 'edit']) {
          const action = { name };
          const limit = random.pick([undefined, 1, 4]);
          const allowed = new Set<string>();
          const failed = new Set<string>();
          for (let user = 0; user < MEMBERS; user += 1)
            for (let doc = 0; doc < DOCS; doc += 1) {
              const asked = { subject: userOf(`m${user}`), resource: docOf(`d${doc}`), action };
              const { status, json } = await post(server, 'evaluation', asked);
              // Nobody decides about a user without roles.
              assert.ok(
                status === 200 || (status === 503 && /principal\.roles/.test(json.message ?? '')),
                json.message,
              );
              if (status === 503) failed.add(`m${user}`);
              if (json.decision === true) allowed.add(`m${user} d${doc}`);
            }
          counts.noRoles += failed.size;
          const said = `seed ${seed}, ${way}, ${JSON.stringify(scope)}, ${name}\n${JSON.stringify(rules)}`;
          for (let doc = 0; doc < DOCS; doc += 1) {
            const found = await search(
              server,
              'subject',
              { subject: { type: 'user' }, resource: docOf(`d${doc}`), action },
              limit,
            );
            const wanted = Array.from({ length: MEMBERS }, (_, user) => `m${user}`).filter((id) =>
              allowed.has(`${id} d${doc}`),
            );
            assert.equal(found, wanted, `${said}\nwho may, d${doc}`);
            counts.searches += 1;
            counts.subjects += wanted.length;
          }
          for (let user = 0; user < MEMBERS; user += 1) {
            const id = `m${user}`;
            const found = await search(
              server,
              'resource',
              { subject: userOf(id), resource: { type: 'doc' }, action },
              limit,
            );
            counts.searches += 1;
            if (found === undefined) {
              counts.refused += 1;
              continue;
            }
            const wanted = Array.from({ length: DOCS }, (_, doc) => `d${doc}`).filter((doc) =>
              allowed.has(`${id} ${doc}`),
            );
            assert.equal(found, wanted, `${said}\nwhat may ${id}`);
            counts.resources += wanted.length;
          }
        }
      } finally {
        await server.close();
      }
    }
    console.log(`  ${stores} stores: ${JSON.stringify(counts)}`);
    assert.ok(
      counts.refused < counts.searches / 10 &&
        counts.subjects > stores &&
        counts.resources > stores &&
        counts.noRoles > 0,
    );
  });

  /** Docs d0 to d9 of the kind x, and m0 to m9, who are editors except for the last one. */
  const fillPlain = async (): Promise<void> => {
    await client.query('TRUNCATE members, member_roles, role_names, folders, docs, shares, tags');
    await client.query(
      "INSERT INTO members (id, role) SELECT 'm' || n, CASE WHEN n < 9 THEN 'editor' ELSE 'viewer' END FROM generate_series(0, 9) AS n",
    );
    await client.query("INSERT INTO docs SELECT 'd' || n, 'm0', NULL, 'x' FROM generate_series(0, 9) AS n");
  };
  const KIND_X = [
    {
      actions: ['view'],
      effect: 'EFFECT_ALLOW',
      roles: ['editor'],
      condition: { match: { expr: 'R.attr.kind == "x"' } },
    },
  ];
  const view = { name: 'view' };

  test('a row that the database selects and a check denies fails the search, unless facts may be older', async () => {
    await fillPlain();
    // The database shows another value to the statement of a search, as if a condition were wrong.
    await client.query(`CREATE OR REPLACE VIEW lies AS SELECT id, owner_id, folder,
      CASE WHEN id = 'd3' AND current_setting('transaction_isolation') <> 'read committed' THEN 'y' ELSE kind END AS kind FROM docs`);
    const asked = { subject: userOf('m1'), action: view, resource: { type: 'doc' } };
    for (const [name, cache, expected] of [
      ['docs', {}, 10],
      ['lies', {}, undefined],
      ['lies', { maxAge: '60s' }, 9],
    ] as const) {
      writeTables(ROLES.column, { ...DOC, name });
      const policy = { resource: 'doc', version: 'default', rules: KIND_X };
      const texts = { 'doc.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy: policy }) };
      const sql = { url, tables, table: 'doc', maxConnections: 1 };
      const config = configure({}, { docs: { of: 'doc', sql, search: true, cache } });
      const server = await startServer(config, await loaded(compileTexts(texts, { facts: true })));
      try {
        const { status, json } = await post(server, 'search/resource', asked);
        const evaluated = await post(server, 'evaluation', { ...asked, resource: docOf('d3') });
        assert.is(evaluated.json.decision, name === 'docs', name);
        if (expected === undefined) {
          assert.is(status, 500, JSON.stringify(json));
          assert.is(json.message, 'the search failed: the database selects rows that a check denies');
        } else assert.is(json.results?.length, expected, JSON.stringify(json));
      } finally {
        await server.close();
      }
    }
  });

  test('pages have what was allowed all the time, and nothing that never was, while others write rows', async () => {
    await fillPlain();
    writeTables(ROLES.column);
    const server = await start(KIND_X);
    try {
      await client.query("UPDATE docs SET kind = 'y' WHERE id IN ('d0', 'd9')");
      // Each row changes once, so that a check may deny what the filter has selected, but not twice.
      const write = async (): Promise<void> => {
        for (const id of ['d1', 'd5', 'd7']) {
          await client.query("UPDATE docs SET kind = 'y' WHERE id = $1", [id]);
          await client.query("DELETE FROM docs WHERE id = 'd6'");
          await client.query("INSERT INTO docs VALUES ($1, 'm0', NULL, 'x')", [`${id}a`]);
        }
      };
      const writing = write();
      for (const limit of [1, 2, undefined]) {
        const asked = { subject: userOf('m1'), action: view, resource: { type: 'doc' } };
        const found = (await search(server, 'resource', asked, limit)) ?? [];
        for (const id of ['d2', 'd3', 'd4', 'd8']) assert.ok(found.includes(id), `${id} of ${found.join()}`);
        for (const id of ['d0', 'd9']) assert.not(found.includes(id), `${id} of ${found.join()}`);
      }
      await writing;
      const asked = { subject: userOf('m1'), action: view, resource: { type: 'doc' } };
      assert.equal(await search(server, 'resource', asked, 2), ['d1a', 'd2', 'd3', 'd4', 'd5a', 'd7a', 'd8']);
      // A user who loses the role between two pages is not found on the second one.
      const who = { subject: { type: 'user' }, action: view, resource: docOf('d2') };
      const first = await post(server, 'search/subject', { ...who, page: { limit: 2 } });
      await client.query("UPDATE members SET role = CASE id WHEN 'm3' THEN 'viewer' WHEN 'm4' THEN NULL ELSE role END");
      const token = first.json.page?.next_token;
      const rest = await post(server, 'search/subject', { ...who, page: { token } });
      assert.equal(
        [...(first.json.results ?? []), ...(rest.json.results ?? [])].map(({ id }) => id),
        ['m0', 'm1', 'm2', 'm5', 'm6', 'm7', 'm8'],
      );
    } finally {
      await server.close();
    }
  });

  test('a forged token finds nobody whom an evaluation denies', async () => {
    await fillPlain();
    writeTables(ROLES.column);
    const server = await start(KIND_X);
    try {
      const who = { subject: { type: 'user' }, action: view, resource: docOf('d2') };
      const { json } = await post(server, 'search/subject', { ...who, page: { limit: 1 } });
      const bytes = Buffer.from(json.page?.next_token ?? '', 'base64url');
      const forged = (id: string): string =>
        Buffer.concat([bytes.subarray(0, 16), Buffer.from(id)]).toString('base64url');
      for (const [id, expected] of [
        ['m7', ['m8']],
        ['m8', []],
        ["' OR role = 'viewer", ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8']],
      ] as const) {
        const answer = await post(server, 'search/subject', { ...who, page: { token: forged(id) } });
        assert.equal(
          answer.json.results?.map((one) => one.id),
          expected,
          id,
        );
      }
      const other = { ...who, resource: docOf('d3'), page: { token: json.page?.next_token } };
      assert.is((await post(server, 'search/subject', other)).status, 400);
      // Roles that a caller sends are those of nobody.
      const sent = { type: 'user', id: 'm9', properties: { 'authz.roles': ['editor'] } };
      assert.equal((await post(server, 'evaluation', { ...who, subject: sent })).json, { decision: false });
    } finally {
      await server.close();
    }
  });

  test('roles of tenants find what evaluations with them allow, in subjects and in resources', async () => {
    await fillPlain();
    await client.query(`UPDATE members SET level = CASE WHEN id IN ('m2', 'm5', 'm7') THEN 5 ELSE 1 END;
      UPDATE docs SET kind = 'y' WHERE id IN ('d1', 'd4')`);
    const members = { name: 'members', id: DOC.id, columns: { level: { column: 'level', type: 'integer' } } };
    writeFileSync(tables, JSON.stringify({ tables: { member: members, doc: DOC } }));
    const documents = mkdtempSync(join(folder, 'documents-'));
    for (const [tenant, role] of Object.entries({ acme: 'editor', other: 'viewer' }))
      writeFileSync(join(documents, `${tenant}.json`), JSON.stringify({ tenant, roles: { desk: { roles: [role] } } }));
    const condition = { match: { expr: 'R.attr.kind == "x" && P.attr.level > 3' } };
    const rules = [
      { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['editor'], condition },
      { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['viewer'] },
    ];
    const grants = ['editor', 'viewer'].map((role) => ({ role, resources: [{ resource: 'doc', actions: ['view'] }] }));
    const policies = [
      { resourcePolicy: { resource: 'doc', version: 'default', rules } },
      { tenantRoles: { scope: 'tenants.*', grants } },
    ].map((policy) => ({ apiVersion: 'api.authz.dev/v1', ...policy }));
    const texts = { 'doc.yaml': JSON.stringify(policies[0]), 'tenants.yaml': JSON.stringify(policies[1]) };
    const sql = { url, tables, maxConnections: 2 };
    for (const explain of [false, true]) {
      const config = configure(
        {},
        { members: { of: 'principal', sql: { ...sql, table: 'member' }, search: true } },
        { tenants: { source: documents, timeout: '60s' }, engine: { lenientScopeSearch: true } },
      );
      const bundle = await loaded(compileTexts(texts, { facts: true, explain }));
      const server = await startServer(config, bundle);
      try {
        for (const [tenant, role, found] of [
          ['acme', 'tenant:desk', 3],
          ['other', 'tenant:desk', 0],
          ['nobody', 'tenant:desk', 0],
          ['acme', 'tenant:night', 0],
          ['acme', 'editor', 3],
        ] as const) {
          const scope = { 'authz.scope': `tenants.${tenant}` };
          const about = { properties: { 'authz.roles': [role], ...scope } };
          const of = { properties: scope };
          const action = { name: 'view' };
          const said = `${tenant}, ${role}, ${explain}`;
          const allowed = new Set<string>();
          for (let user = 0; user < MEMBERS; user += 1)
            for (let doc = 0; doc < DOCS; doc += 1) {
              const asked = { subject: { ...userOf(`m${user}`), ...about }, resource: { ...docOf(`d${doc}`), ...of } };
              if ((await post(server, 'evaluation', { ...asked, action })).json.decision === true)
                allowed.add(`m${user} d${doc}`);
            }
          assert.is(allowed.size, found * 8, said);
          for (let doc = 0; doc < DOCS; doc += 1) {
            const who = { subject: { type: 'user', ...about }, resource: { ...docOf(`d${doc}`), ...of }, action };
            const wanted = Array.from({ length: MEMBERS }, (_, user) => `m${user}`);
            assert.equal(
              await search(server, 'subject', who, 2),
              wanted.filter((id) => allowed.has(`${id} d${doc}`)),
              `${said}: who may, d${doc}`,
            );
          }
          for (let user = 0; user < MEMBERS; user += 1) {
            const what = { subject: { ...userOf(`m${user}`), ...about }, resource: { type: 'doc', ...of }, action };
            const wanted = Array.from({ length: DOCS }, (_, doc) => `d${doc}`);
            assert.equal(
              await search(server, 'resource', what, 3),
              wanted.filter((id) => allowed.has(`m${user} ${id}`)),
              `${said}: what may m${user}`,
            );
          }
        }
      } finally {
        await server.close();
      }
    }
  });

  test('in a canary, subjects are those whom evaluations allow, each by its own bundle', async () => {
    await fill(new Random(SEED));
    writeTables(ROLES.column);
    // The candidate reads what the current bundle does not.
    const rules = (expr: string, ...roles: readonly string[]) => [
      { actions: ['view'], effect: 'EFFECT_ALLOW', roles, condition: { match: { expr } } },
    ];
    const compile = async (name: string, own: readonly object[]): Promise<BundleText> => {
      const policies = join(folder, name);
      mkdirSync(policies);
      const policy = { resource: 'doc', version: 'default', rules: own };
      const text = JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy: policy });
      writeFileSync(join(policies, 'doc.yaml'), text);
      const flags = ['--facts', '--explain', '--bundle', `${name}.js`, '--out', `${name}-out`];
      const { code, stderr } = await callAuthzc(['compile', name, ...flags], folder);
      assert.is(code, 0, stderr);
      return { name, digest: name, text: readFileSync(join(folder, `${name}.js`), 'utf8') };
    };
    const texts = [
      await compile('current', rules('R.attr.kind != "y"', 'editor')),
      await compile('candidate', rules('P.attr.level != 1 && R.attr.tags.size() < 2', 'viewer', 'editor')),
    ] as const;
    const config = configure({ maxRows: 7 });
    const server = await startServer(config, await evaluateBundleText(texts[0]));
    const answers = new Map<number, string>();
    try {
      for (const [version, percent] of [0, 50, 100].entries()) {
        const rollout = { version: version + 1, current: 'current', candidate: 'candidate', previous: undefined };
        const change = { ...rollout, stage: 'canary', percent, id: 'r1', passed: [] } as const;
        (await server.prepareChange({ rollout: change, texts: version === 0 ? texts : [] })).commit();
        const all: string[] = [];
        for (let doc = 0; doc < DOCS; doc += 1) {
          const asked = { resource: docOf(`d${doc}`), action: { name: 'view' } };
          const allowed: string[] = [];
          for (let user = 0; user < MEMBERS; user += 1) {
            const { json } = await post(server, 'evaluation', { ...asked, subject: userOf(`m${user}`) });
            if (json.decision === true) allowed.push(`m${user}`);
          }
          const found = await search(server, 'subject', { ...asked, subject: { type: 'user' } }, 3);
          assert.equal(found, allowed, `${percent} %: d${doc}`);
          all.push(allowed.join());
        }
        answers.set(percent, all.join(' '));
      }
    } finally {
      await server.close();
    }
    // Both bundles decide at 50 %.
    assert.is(new Set(answers.values()).size, 3, JSON.stringify([...answers]));
  });

  test('users and relations that a server cannot read or compare are refused', async () => {
    const users = { of: 'principal', sql: { url, tables, maxConnections: 1 } };
    for (const [source, more, message] of [
      [{ ...users, of: 'doc' }, {}, /needs `table`: only `of: principal`/],
      [
        { ...users, selects: { roles: 'role' } },
        {},
        /contradicts `users` of the file of tables, which declares the roles/,
      ],
      [{ ...users, key: 'principal.attr.department' }, {}, /whose rows are found by their id/],
      [{ ...users, caller: 'use' }, {}, /roles that callers send would replace theirs/],
      [users, { scope: { column: 5 } }, /`users\.scope`: must be a scope, such as `acme`, or its column/],
      [users, { roles: { ...ROLES['two steps'], relation: 'one' } }, /`users\.roles`: rows of another table need/],
      [users, { roles: { ...ROLES['one step'], closure: { member: 'id' } } }, /`users\.roles`: a server does not read/],
    ] as const) {
      writeTables(ROLES.column, DOC, more);
      try {
        const bundle = await loaded(compileTexts({}, { facts: true }));
        await (await startServer(configure({}, { members: source }), bundle)).close();
        assert.unreachable(String(message));
      } catch (error) {
        assert.match((error as Error).message, message);
      }
    }
    await fillPlain();
    await client.query('CREATE TABLE odd (id text, near text COLLATE folded, price real)');
    const one = { relation: 'one', table: 'odd', on: { id: 'owner_id' } };
    for (const [relation, message] of [
      [
        { ...one, unique: true, columns: {} },
        /`odd` has no unique index on `id`, and the file of tables declares `unique: true`/,
      ],
      [{ ...one, columns: { near: text('near') } }, /`odd\.near` has a collation in which different strings/],
      [{ ...one, columns: { price: { column: 'price', type: 'number' } } }, /`odd\.price` has the type `real`/],
    ] as const) {
      writeTables(ROLES.column, { ...DOC, columns: { kind: text('kind'), odd: relation } });
      const server = await start(KIND_X);
      try {
        const asked = { subject: userOf('m1'), action: view, resource: { type: 'doc' } };
        const { status, json } = await post(server, 'search/resource', asked);
        assert.is(status, 400);
        assert.match(json.message ?? '', message);
      } finally {
        await server.close();
      }
    }
  });
}

const cluster = await startCluster(await freePort());
if (typeof cluster === 'string') skip(import.meta.url, cluster);
else addTests(cluster);
test.run();
