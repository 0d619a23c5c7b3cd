import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { type Filter, FLAT, NULLS, type Writing } from '../../runtime/residual/index.js';
import { acceptedStore } from '../support/cel/condition-stores.js';
import { loaded, ROOT } from '../support/compiled.js';
import { TYPED, typedRow } from '../support/mutants/conditions.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/** Where `.ci/run` installs Prisma and a published adapter for it. */
const PRISMA = join(ROOT, '.cache/prisma/node_modules');
const ADAPTERS = join(ROOT, '.cache/published-adapters/node_modules');
/** The adapter needs Node 22. */
const NODE =
  Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : join(ROOT, '.cache/runtimes/node-22');

const test = suite('published adapters');

const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "client"
}
datasource db {
  provider = "postgresql"
}
model Item {
  id    String   @id
  x     String?
  y     String?
  n     Float?
  flag  Boolean?
  owner String?
  mapA  String?  @map("map_a")
  t     String?
  d     String?
  list  Tag[]
  @@map("items")
}
model Tag {
  id     Int    @id
  value  String
  itemId String @map("item_id")
  item   Item   @relation(fields: [itemId], references: [id])
  @@map("tags")
}
`;

const TABLES = `
CREATE TABLE items (id text PRIMARY KEY, x text, y text, n double precision, flag boolean, owner text, map_a text, t text, d text);
CREATE TABLE tags (id int PRIMARY KEY, value text NOT NULL, item_id text NOT NULL REFERENCES items)`;

/** A row as the database has it: what is undefined is NULL, and a list of related rows is never missing. */
interface Row {
  readonly id: string;
  readonly attr: { readonly [name: string]: unknown };
}

type Answer = { readonly ids: readonly string[] } | { readonly failed: string } | { readonly refused: string };

const PRINCIPAL = { id: 'u1', roles: ['user'], attr: { teams: ['a', 'b'], levels: { a: 1, b: 2 } } };
const NOW = { seconds: 1_735_732_800, nanos: 0, offset: 0 };

test('with null for what is missing, an adapter for Prisma accepts denials, and selects no row that check denies', async () => {
  if (!existsSync(PRISMA) || !existsSync(ADAPTERS))
    return skip(import.meta.url, 'Prisma and its adapter are not installed (.ci/run does)');
  if (!existsSync(NODE)) return skip(import.meta.url, 'the adapter needs Node 22');
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const folder = mkdtempSync(join(tmpdir(), 'authz-published-adapters-'));
  try {
    const random = new Random(1);
    const rows = Array.from({ length: 120 }, (_, index) => rowOf(`r${1000 + index}`, random));
    await cluster.client.query(TABLES);
    for (const row of rows) await insert(cluster.client, row);
    const { host, user, database } = cluster.connection;
    const url = `postgresql://${user}@${encodeURIComponent(host)}/${database}`;
    await prepare(folder);

    const plans = await plansOf();
    const counts = { default: 0, null: 0 };
    for (const [writing, name] of [
      [FLAT, 'default'],
      [NULLS, 'null'],
    ] as const) {
      const asked = plans(writing);
      const answers = ask(
        folder,
        url,
        asked.map(({ filter }) => filter),
      );
      const tally = { plans: asked.length, accepted: 0, refused: 0, failed: 0, selected: 0, missed: 0 };
      for (const [index, { name: condition, isAllowed }] of asked.entries()) {
        const answer = answers[index] as Answer;
        if ('refused' in answer) tally.refused += 1;
        if ('failed' in answer) tally.failed += 1;
        if (!('ids' in answer)) continue;
        tally.accepted += 1;
        const selected = new Set(answer.ids);
        tally.selected += selected.size;
        for (const row of rows) {
          if (isAllowed(row)) tally.missed += selected.has(row.id) ? 0 : 1;
          else assert.not.ok(selected.has(row.id), `${name}: ${condition} selects ${JSON.stringify(row)}`);
        }
      }
      console.log(`  ${name}: ${JSON.stringify(tally)}`);
      counts[name] = tally.accepted;
    }
    assert.ok(counts.default < 10 && counts.null >= 128, JSON.stringify(counts));
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();

function rowOf(id: string, random: Random): Row {
  const { list = [], map = {}, ...attr } = typedRow((of) => random.pick(of));
  return { id, attr: { ...attr, list, map } };
}

async function insert(client: { query(text: string, values: readonly unknown[]): Promise<unknown> }, row: Row) {
  const { list, map, ...attr } = row.attr as {
    readonly list: readonly string[];
    readonly map: { readonly a?: string };
  };
  const cells: { readonly [column: string]: unknown } = { id: row.id, ...attr, map_a: map.a };
  const names = Object.keys(cells);
  const places = names.map((_, index) => `$${index + 1}`);
  await client.query(`INSERT INTO items (${names.join(', ')}) VALUES (${places.join(', ')})`, Object.values(cells));
  for (const [index, value] of list.entries())
    await client.query('INSERT INTO tags VALUES ($1, $2, $3)', [Number(row.id.slice(1)) * 10 + index, value, row.id]);
}

/** The plans of denials and of `none` of typical conditions that leave something to the database. */
async function plansOf() {
  const conditions = [...TYPED];
  const family = {
    condition: () => conditions.shift() as string,
    variables: () => ({}),
    constants: {},
    principal: () => PRINCIPAL.attr,
    row: () => ({}),
  };
  const store = acceptedStore(family, new Random(1), TYPED.length);
  const { policies } = await loaded(store.compilation);
  return (plan: Writing) => {
    const engine = createEngine(policies, { plan, clock: () => NOW });
    return store.conditions.flatMap(([index, condition]) =>
      ['deny', 'none'].flatMap((action) => {
        const resource = { kind: `kind${index}` };
        const { filter } = engine.plan({ principal: PRINCIPAL, resource, actions: [action] });
        const isAllowed = ({ id, attr }: Row): boolean =>
          engine.isAllowed({ principal: PRINCIPAL, resource: { ...resource, id, attr }, action });
        return filter.kind === 'KIND_CONDITIONAL' ? [{ name: `${action} ${condition}`, filter, isAllowed }] : [];
      }),
    );
  };
}

/** Generates the client, which needs no engine but downloads one unless it is told of another, and bundles the program. */
async function prepare(folder: string): Promise<void> {
  symlinkSync(PRISMA, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'schema.prisma'), SCHEMA);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  cpSync(new URL('prisma-program.mjs', import.meta.url), join(folder, 'program.mjs'));
  await promisify(execFile)(NODE, [join(PRISMA, 'prisma/build/index.js'), 'generate', '--schema', 'schema.prisma'], {
    cwd: folder,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: NODE, CHECKPOINT_DISABLE: '1' },
  });
  await build({
    entryPoints: [join(folder, 'program.mjs')],
    outfile: join(folder, 'bundled.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@prisma/*'],
    nodePaths: [ADAPTERS],
    logLevel: 'error',
  });
}

function ask(folder: string, url: string, plans: readonly Filter[]): readonly Answer[] {
  const output = execFileSync(NODE, [join(folder, 'bundled.mjs')], {
    cwd: folder,
    input: JSON.stringify(plans),
    env: { ...process.env, DATABASE_URL: url },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output.toString()) as readonly Answer[];
}
