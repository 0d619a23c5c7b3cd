import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import sqlite from 'node-sqlite3-wasm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AUDIT_DEFAULTS } from '../../server/config/audit-config.js';
import { openLocalBackend } from '../../server/audit/local/local-backend.js';
import { readAuditLog } from '../../server/audit/reader.js';
import { Random } from '../support/oracle/random.js';
import { ROOT } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';

const KILLS = rounds(12);
/** The number of processes in a row that are killed on one database. */
const KILLS_OF_A_DATABASE = 6;

const test = suite('audit database of killed processes');
const CACHE = join(ROOT, '.cache');
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'kills-'));
const program = join(folder, 'child.mjs');

test.before(() => {
  // Compiled once, so that a process starts within its short life.
  const entryPoints = [fileURLToPath(new URL('local-child.ts', import.meta.url))];
  buildSync({
    entryPoints,
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test(`after each of ${KILLS} kills at random moments, every acknowledged entry is there and the file is intact (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  let acknowledged = 0;
  for (let done = 0; done < KILLS; ) {
    const storagePath = join(folder, `db-${done}`);
    const expected: number[] = [];
    for (let kill = 0; kill < KILLS_OF_A_DATABASE && done < KILLS; kill++, done++) {
      // Mostly during writes, sometimes while the database is opened.
      const waitsForEntries = random.chance(0.85);
      const first = done * 1_000_000;
      const end = await killed([storagePath, String(first)], waitsForEntries, random.below(waitsForEntries ? 60 : 250));
      for (let index = first; index < end; index++) expected.push(index);
      await verify(storagePath, expected);
    }
    acknowledged += expected.length;
    rmSync(storagePath, { recursive: true, force: true });
  }
  assert.ok(acknowledged > KILLS, `${acknowledged} entries were acknowledged`);
});

/** Returns the index after the last entry that the process reported as written. */
function killed(
  [storagePath = '', first = '']: readonly string[],
  waitsForEntries: boolean,
  delay: number,
): Promise<number> {
  const child = spawn(process.execPath, [program, storagePath, first], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let problems = '';
  let timer = waitsForEntries ? undefined : setTimeout(() => child.kill('SIGKILL'), delay);
  child.stderr.on('data', (chunk) => (problems += chunk));
  child.stdout.on('data', (chunk) => {
    timer ??= setTimeout(() => child.kill('SIGKILL'), delay);
    text += chunk;
  });
  return new Promise((resolve, reject) =>
    child.on('close', (_code, signal) => {
      clearTimeout(timer);
      if (signal !== 'SIGKILL' || problems !== '')
        reject(new Error(`the process ended without a kill, or reported problems: ${problems}`));
      // The last line may have been cut off.
      else resolve(Number(text.split('\n').at(-2) ?? first));
    }),
  );
}

async function verify(storagePath: string, expected: readonly number[]): Promise<void> {
  mkdirSync(storagePath, { recursive: true });
  const backend = await openLocalBackend({ ...AUDIT_DEFAULTS.local, storagePath }, (message) =>
    assert.unreachable(message),
  );
  const found = new Set<number>();
  for (const kind of ['access', 'decision'] as const) {
    const query = { kind, by: 'between', start: 0, end: Number.MAX_SAFE_INTEGER } as const;
    for await (const entry of readAuditLog(backend.reader as NonNullable<typeof backend.reader>, query))
      found.add((entry as unknown as { readonly index: number }).index);
  }
  await backend.close();
  assert.equal(
    expected.filter((index) => !found.has(index)),
    [],
  );
  const database = new sqlite.Database(join(storagePath, 'audit.db'));
  // This SQLite build cannot share the index of a write-ahead log.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  assert.equal(database.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  database.close();
  assert.equal(
    readdirSync(storagePath).filter((name) => name.includes('damaged')),
    [],
  );
}

test.run();
