import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRelation, type SqlColumn } from '../../runtime/residual/sql/table.js';
import { type Config, loadConfig } from '../../server/config.js';
import { startServer } from '../../server/main.js';
import { compileRules, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { freePort } from '../support/free-port.js';
import type { Document } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { send } from '../support/server/http-client.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { randomPrincipal } from '../support/sql/random-policies.js';
import { type TypedRow, typedRow, typedTable } from '../support/sql/typed-table.js';
import { compiledStore } from './typed-comparison.js';
import { createTypedTable, fillTypedTable } from './typed-database.js';
import { typedPolicies } from './typed-policies.js';

/**
 * Searches of a server whose facts come from PostgreSQL: all pages joined are the rows that it evaluates as allowed, of which the request
 * has only the id. Policies of `users` read as attributes of principals what those of `things` read of resources.
 */
const test = suite('searches of a server with facts');
const cluster = await startCluster(await freePort());
if (typeof cluster === 'string') skip(import.meta.url, cluster);
else addTests(cluster);
test.run();

const ROWS = 30;

interface Counts {
  searches: number;
  refused: number;
  pages: number;
  found: number;
  rows: number;
  unread: number;
}

function addTests({ client, url = '', stop }: Cluster): void {
  const folder = mkdtempSync(join(tmpdir(), 'authz-searches-'));
  test.before(async () => {
    await createTypedTable(client);
    await client.query('ALTER TABLE things ADD UNIQUE (id)');
  });
  test.after(async () => {
    rmSync(folder, { recursive: true });
    await stop();
  });

  test('pages are, joined, what evaluations of the ids allow', async () => {
    const stores = rounds(40, 4);
    const counts: { readonly [searched: string]: Counts } = { resource: zero(), subject: zero() };
    for (let seed = SEED; seed < SEED + stores; seed += 1) {
      const random = new Random(seed);
      const rows = exactRows(random);
      await fillTypedTable(client, rows);
      const compilation = compiledStore(
        [
          ['things', typedPolicies(random, 'things', true)],
          ['docs', aboutPrincipals(typedPolicies(random, 'docs', true))],
        ],
        // With the program of the policies, a server plans subjects first.
        { facts: true, explain: seed % 2 === 0 },
      );
      const server = await startServer(configure(folder, url, random), await loaded(compilation));
      try {
        const post = async (path: string, body: object): Promise<Answer> => {
          const { status, text } = await send(server.httpAddress, 'POST', path, JSON.stringify(body));
          return { status, json: JSON.parse(text) };
        };
        for (let round = 0; round < 2; round += 1)
          for (const searched of ['resource', 'subject'] as const)
            await compare(post, { searched, rows, random, counts: counts[searched] as Counts, seed });
      } finally {
        await server.close();
      }
    }
    for (const [searched, { searches, refused, pages, found, rows, unread }] of Object.entries(counts)) {
      console.log(
        `  ${searched}: ${searches} searches, ${refused} refused, ${pages} pages; ${found} of ${rows} rows, ${unread} unread`,
      );
      assert.ok(refused + unread <= searches / 2 && found > rows / 50 && pages > searches, searched);
    }
  });

  test('a row that holds what no source returns is not found: the search fails, as its evaluation does', async () => {
    const names = Object.keys(UNREADABLE);
    await client.query(
      `CREATE TABLE odd (id text PRIMARY KEY, ${names.map((name) => `${name} ${UNREADABLE[name]?.stored}`).join(', ')})`,
    );
    const rules = names.flatMap((name) => [
      { actions: [name], effect: 'EFFECT_ALLOW', roles: ['user'] },
      { actions: [name], effect: 'EFFECT_DENY', roles: ['user'], condition: matchOf(UNREADABLE[name]?.denied ?? '') },
      { actions: [`has_${name}`], effect: 'EFFECT_ALLOW', roles: ['user'], condition: matchOf(`has(R.attr.${name})`) },
    ]);
    const columns = Object.fromEntries(names.map((name) => [name, { column: name, type: UNREADABLE[name]?.type }]));
    const tables = join(folder, 'odd.json');
    writeFileSync(
      tables,
      JSON.stringify({ tables: { odd: { name: 'odd', id: { column: 'id', type: 'text' }, columns } } }),
    );
    const sql = { url, tables, table: 'odd', maxConnections: 1 };
    const config = configured(folder, { deadline: '60s', from: { odd: { of: 'odd', sql, search: true } } });
    const server = await startServer(config, await loaded(compileRules('odd', rules, { facts: true })));
    const post = async (path: string, body: object): Promise<Answer> => {
      const { status, text } = await send(server.httpAddress, 'POST', path, JSON.stringify(body));
      return { status, json: JSON.parse(text) };
    };
    let failed = 0;
    try {
      for (const [name, { values }] of Object.entries(UNREADABLE))
        for (const value of values) {
          await client.query("TRUNCATE odd; INSERT INTO odd (id) VALUES ('plain')");
          await client.query(`INSERT INTO odd (id, ${name}) VALUES ('odd', ${value})`);
          for (const action of [name, `has_${name}`]) {
            const asked = { subject: { type: 'user', id: 'ann' }, action: { name: action } };
            const allowed: string[] = [];
            let isRead = true;
            for (const id of ['odd', 'plain']) {
              const { status, json } = await post('/access/v1/evaluation', { ...asked, resource: { type: 'odd', id } });
              if (status === 503) isRead = false;
              else if (json.decision === true) allowed.push(id);
            }
            const { status, json } = await post('/access/v1/search/resource', { ...asked, resource: { type: 'odd' } });
            const said = `${action} ${value}: ${JSON.stringify(json).slice(0, 200)}`;
            if (status === 503) failed += 1;
            assert.is(status === 200 || (status === 503 && !isRead), true, said);
            const found = json.results?.map(({ id }) => id);
            if (status === 200) assert.equal(found, allowed, said);
          }
        }
    } finally {
      await server.close();
    }
    assert.ok(failed > 0);
  });
}

/** What columns of PostgreSQL may hold and no attribute can be, or another one than the column seems to have. */
const UNREADABLE: {
  readonly [column: string]: {
    readonly stored: string;
    readonly type: string;
    /** A condition that does not hold for these. */
    readonly denied: string;
    readonly values: readonly string[];
  };
} = {
  num: {
    stored: 'double precision',
    type: 'number',
    denied: 'R.attr.num == 5',
    values: ["'NaN'", "'Infinity'", "'-Infinity'"],
  },
  exact: { stored: 'numeric', type: 'decimal', denied: 'R.attr.exact == 5', values: ["'NaN'", '1e400'] },
  at: {
    stored: 'timestamptz',
    type: 'timestamp',
    denied: 'timestamp(R.attr.at) == timestamp("2020-01-01T00:00:00Z")',
    values: ["'infinity'", "'-infinity'", "'0044-03-15 00:00:00+00 BC'", "'20000-01-01 00:00:00+00'"],
  },
  doc: {
    stored: 'jsonb',
    type: 'json',
    denied: 'R.attr.doc == 5',
    values: [
      "'null'",
      "'1e400'",
      "'[1e400]'",
      "to_jsonb(repeat('x', 70000))",
      "(repeat('[', 80) || repeat(']', 80))::jsonb",
    ],
  },
  list: { stored: 'jsonb', type: 'list', denied: '5 in R.attr.list', values: ["'null'", "'{}'", "'1'", "'[1e400]'"] },
  words: { stored: 'text', type: 'text', denied: 'R.attr.words == "a"', values: ["repeat('x', 70000)"] },
};

function matchOf(expr: string): object {
  return { match: { expr } };
}

const zero = (): Counts => ({ searches: 0, refused: 0, pages: 0, found: 0, rows: 0, unread: 0 });

interface Answer {
  readonly status: number;
  readonly json: {
    readonly message?: string;
    readonly decision?: boolean;
    readonly results?: readonly { readonly id: string }[];
    readonly page?: { readonly next_token: string };
  };
}

interface Comparison {
  readonly searched: 'resource' | 'subject';
  readonly rows: readonly TypedRow[];
  readonly random: Random;
  readonly counts: Counts;
  readonly seed: number;
}

async function compare(
  post: (path: string, body: object) => Promise<Answer>,
  { searched, rows, random, counts, seed }: Comparison,
): Promise<void> {
  const { id, roles, attr } = randomPrincipal(random);
  const version = { 'authz.policyVersion': searched === 'resource' ? 'things' : 'docs' };
  const known = { ...attr, k: random.pick(['a', 'n', '']) };
  const about =
    searched === 'resource'
      ? {
          subject: { type: 'person', id, properties: { ...known, 'authz.roles': roles, ...version } },
          resource: { type: 'things', properties: version },
        }
      : {
          subject: { type: 'user', properties: version },
          resource: { type: 'docs', id: 'd1', properties: { ...known, ...version } },
        };
  const request = { ...about, action: { name: 'view' } };
  const limit = random.pick([undefined, 0, 1, 4, ROWS]);
  const said = `seed ${seed}, limit ${limit}: ${JSON.stringify(request)}`;
  const found: string[] = [];
  let token = '';
  counts.searches += 1;
  do {
    const { status, json } = await post(`/access/v1/search/${searched}`, { ...request, page: { token, limit } });
    if (status === 400 && /^the search cannot be exact: ./.test(json.message ?? '')) {
      counts.refused += 1;
      assert.is(found.length, 0, said);
      return;
    }
    // Nothing is left out: one subject that cannot be decided fails the search.
    if (status === 503 && searched === 'subject') {
      assert.ok(await hasUnread(post, request, rows), `${said}\n${JSON.stringify(json)}`);
      counts.unread += 1;
      return;
    }
    assert.is(status, 200, `${said}\n${JSON.stringify(json)}`);
    found.push(...(json.results ?? []).map((one) => one.id));
    assert.ok(found.length <= rows.length, said);
    token = json.page?.next_token ?? '';
    counts.pages += 1;
  } while (token !== '');
  counts.rows += rows.length;
  counts.found += found.length;
  const isFound = new Set(found);
  assert.is(isFound.size, found.length, said);
  for (const row of rows) {
    const evaluated = { ...request, [searched]: { ...about[searched], id: row.id } };
    const { status, json } = await post('/access/v1/evaluation', evaluated);
    if (status === 503) {
      counts.unread += 1;
      continue;
    }
    assert.is(status, 200, `${JSON.stringify(evaluated)}\n${JSON.stringify(json)}`);
    assert.is(isFound.has(row.id), json.decision, `${said}\n${row.id} ${JSON.stringify(row.attr)}`);
  }
}

/** Whether a source returns a row of the subjects that cannot be used. */
async function hasUnread(
  post: (path: string, body: object) => Promise<Answer>,
  request: { readonly subject: object },
  rows: readonly TypedRow[],
): Promise<boolean> {
  for (const { id } of rows) {
    const { status } = await post('/access/v1/evaluation', { ...request, subject: { ...request.subject, id } });
    if (status === 503) return true;
  }
  return false;
}

/** Rows that JSON represents exactly, each with an id of its own. */
function exactRows(random: Random): readonly TypedRow[] {
  return Array.from({ length: ROWS }, (_, index) => {
    for (;;) {
      const row = typedRow(random, 'postgresql');
      if (row.orTold === undefined && isExact(row.attr)) return { ...row, id: `${row.id}${index}` };
    }
  });
}

function isExact(attributes: object): boolean {
  let isRead = true;
  JSON.stringify(attributes, (name, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) isRead = false;
    // Sources do not return lists that are none, and times that no policy can read.
    if ((name === 'list' || name === 'items') && value !== null && !Array.isArray(value)) isRead = false;
    if ((name === 'at' || name === 'until') && typeof value === 'string' && !/^\d{4}-/.test(value)) isRead = false;
    return value;
  });
  return isRead;
}

/** Policies whose conditions read of the principal what they read of the resource, and the other way round. */
function aboutPrincipals(documents: readonly Document[]): readonly Document[] {
  const swapped = JSON.stringify(documents).replaceAll(/\b[PR]\.(?=attr|id)/g, (name) => (name === 'P.' ? 'R.' : 'P.'));
  return JSON.parse(swapped) as readonly Document[];
}

function configure(folder: string, url: string, random: Random): Config {
  const tables = join(folder, 'tables.json');
  const stored = typedTable('postgresql');
  const table = {
    name: stored.name,
    id: { column: 'id', type: 'text' },
    columns: Object.fromEntries(
      Object.entries(stored.columns).map(([path, column]) => {
        if (isRelation(column)) throw new Error('a relation');
        return [path, writtenColumn(column)];
      }),
    ),
  };
  writeFileSync(tables, JSON.stringify({ tables: { principal: table, things: table } }));
  const sql = (kind: string) => ({ url, tables, table: kind, maxConnections: 1 });
  return configured(folder, {
    deadline: '60s',
    search: {
      timeout: '60s',
      maxConnections: 1,
      maxPageSize: random.pick([7, 1000]),
      maxRows: random.pick([7, 10_000]),
    },
    from: {
      people: { of: 'principal', sql: sql('principal'), search: true },
      things: { of: 'things', sql: sql('things'), search: true },
    },
  });
}

function configured(folder: string, sources: object): Config {
  const file = join(folder, 'config.json');
  const server = { httpListenAddr: '127.0.0.1:0', grpcListenAddr: '127.0.0.1:0' };
  writeFileSync(file, JSON.stringify({ server, sources }));
  return loadConfig({ file, environment: {} }).config;
}

function writtenColumn({ column, type, null: nulls, collation }: SqlColumn): object {
  // Facts are read by the names of columns alone.
  return {
    column: column.split('.').at(-1),
    type,
    ...(nulls === 'null' && { nulls: 'as-null' }),
    ...(collation && { collation }),
  };
}
