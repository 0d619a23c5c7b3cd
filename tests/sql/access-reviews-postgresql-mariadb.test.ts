import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReviewExport } from '../../packages/cli/review/export.js';
import type { SqlDialect } from '../../runtime/residual/sql/index.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { BASE, fillReview, plantHoles, reviewFlags } from '../support/cli/planted-holes.js';
import { folderOf } from '../support/cli/programs.js';
import { SEED } from '../support/effort.js';
import { freePort } from '../support/free-port.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('access reviews of PostgreSQL and MariaDB');

test('a hundred planted holes in PostgreSQL are all in the export', async () => {
  const server = await startCluster(await freePort());
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    await review('postgresql', server.url ?? '', (text, cells) => server.client.query(text, [...cells]));
  } finally {
    await server.stop();
  }
});

test('a hundred planted holes in MariaDB are all in the export, under a collation that ignores case and blanks', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    const path = encodeURIComponent(server.socketPath);
    const url = `mariadb://root@localhost/authz?socketPath=${path}&connectAttributes=%7B%7D`;
    await review('mysql', url, (text, cells) => server.connection.query(text, [...cells]));
  } finally {
    await server.stop();
  }
});

async function review(
  dialect: SqlDialect,
  url: string,
  run: (statement: string, cells: readonly unknown[]) => unknown,
): Promise<void> {
  const { rows, files, expected } = plantHoles(new Random(SEED));
  await fillReview(dialect, run, rows);
  // Without a zone, as MariaDB has no other times.
  const tables = BASE['tables.yaml'].replace('type: timestamp}', `type: timestamp, zone: utc}`);
  const folder = folderOf({ ...BASE, ...files, 'tables.yaml': tables });
  try {
    const flags = reviewFlags(url);
    const started = await callAuthzc(['review', 'start', ...flags, '--action', 'view', 'edit', 'print'], folder);
    assert.is(started.code, 0, started.stderr);
    const words = ['review', 'export', ...flags, '-o', 'json', '--out', 'access.json'];
    const { code, stderr } = await callAuthzc(words, folder);
    assert.is(code, 0, stderr);
    const exported = JSON.parse(readFileSync(join(folder, 'access.json'), 'utf8')) as ReviewExport;
    assert.equal(exported.notEvaluated, []);
    assert.equal(
      expected.flatMap((isThere, index) => (isThere(exported) ? [] : [index])),
      [],
    );
    const recorded = await callAuthzc(['review', 'record', ...flags, '--export', 'access.json'], folder);
    assert.is(recorded.code, 0, recorded.stderr);
    assert.match(recorded.stdout, /^0 decisions recorded, (\d+) of \1 pairs are not decided\n$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.run();
