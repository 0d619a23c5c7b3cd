import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { rounds } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { bundleWithClient, generateClient, PRISMA } from '../support/prisma-client.js';
import { skip } from '../support/skip.js';
import { startPooler } from '../support/sql/pgbouncer.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { protect } from './row-security.js';

const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "client"
}
datasource db {
  provider = "postgresql"
}
model Doc {
  position Int    @id
  owner    String

  @@map("docs")
}
`;

/** Steps of `with-principal-prisma-program.mjs`. After those that fail, nothing of the transaction is kept. */
const FAILING: ReadonlySet<string> = new Set(['abort', 'fail', 'hide', 'late']);
const STEPS = [...FAILING, 'save', 'wait', 'nested', 'failNested', 'unasked'];

const test = suite('transactions of a principal with Prisma');

for (const mode of [undefined, 'transaction', 'session'] as const)
  test(`no transaction shows rows of another principal, whichever of them fail${mode === undefined ? '' : `, behind PgBouncer in ${mode} mode`}`, () =>
    ask(mode));

/** Asks for many principals at once, through a pooler or not. */
async function ask(mode: string | undefined): Promise<void> {
  if (!existsSync(PRISMA)) return skip(import.meta.url, 'Prisma is not installed in .cache/prisma');
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const folder = mkdtempSync(join(tmpdir(), 'authz-prisma-'));
  let pooler: Exclude<Awaited<ReturnType<typeof startPooler>>, string> | undefined;
  try {
    const { client, connection } = cluster;
    await client.query('CREATE TABLE docs (position integer PRIMARY KEY, owner text NOT NULL)');
    await client.query("INSERT INTO docs SELECT n, 't' || n % 5 FROM generate_series(1, 50) AS n");
    await protect(client, 'docs', {});
    await client.query(
      'CREATE POLICY own ON docs FOR SELECT TO app USING ((SELECT authz.is_set()) AND owner = (SELECT authz.id())); CREATE ROLE login LOGIN; GRANT app TO login; CREATE ROLE boss BYPASSRLS; GRANT boss TO login; GRANT SELECT ON docs TO boss',
    );
    const started = mode === undefined ? undefined : await startPooler(cluster, mode);
    if (typeof started === 'string') return skip(import.meta.url, started);
    pooler = started;
    await prepare(folder);
    const random = new Random(1);
    const asked = Array.from({ length: rounds(1_000) }, () => {
      const [id, other] = random.pick([
        ['t0', 't1'],
        ['t1', 't2'],
        ['t2', 't3'],
        ['t3', 't4'],
        ['t4', 't0'],
      ] as const);
      return {
        principal: { id, roles: ['user'] },
        other: { id: other, roles: ['user'] },
        role: random.chance(0.05) ? 'boss' : 'app',
        steps: random.some(STEPS, 0, 3),
      };
    });
    const url = `postgresql://login@localhost/postgres?host=${connection.host}&port=${pooler?.port ?? 5432}`;
    const output = execFileSync(process.execPath, [join(folder, 'bundled.mjs')], {
      cwd: folder,
      input: JSON.stringify({ url, asked, max: mode === 'session' ? 2 : 4 }),
    });
    const { answers, bare } = JSON.parse(output.toString()) as {
      answers: readonly { readonly seen: readonly (readonly string[])[]; readonly error?: string }[];
      bare: unknown;
    };
    const ends = new Map<string, number>();
    for (const [at, { principal, role, steps }] of asked.entries()) {
      const { seen, error } = answers[at] ?? invariant('no answer');
      for (const owners of seen) assert.equal(owners, [principal.id], JSON.stringify(steps));
      // How often transactions ended with which step.
      const end = error === undefined ? 'none' : (steps[seen.length - 1] ?? 'first');
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (role === 'boss') assert.match(error ?? '', /^ExemptRoleError: /);
      else if (error === undefined) assert.is(seen.length, steps.length + 1);
      else assert.ok(FAILING.has(end), `${end}: ${error}`);
      assert.is.not(steps.some((step) => FAILING.has(step)) && error === undefined, true, JSON.stringify(steps));
    }
    console.log(`  ${JSON.stringify(Object.fromEntries(ends))}`);
    // Outside of a transaction nobody asks.
    assert.is(bare, 0);
  } finally {
    rmSync(folder, { recursive: true });
    await pooler?.stop();
    await cluster.stop();
  }
}

/** Generates the client, and bundles the program with it. */
async function prepare(folder: string): Promise<void> {
  writeFileSync(join(folder, 'schema.prisma'), SCHEMA);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  await generateClient(folder, '--schema', 'schema.prisma');
  await bundleWithClient(new URL('with-principal-prisma-program.mjs', import.meta.url), folder);
}

test.run();
