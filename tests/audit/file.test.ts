import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileAuditConfig } from '../../server/config/audit-config.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { openFileBackend } from '../../server/audit/file/file-backend.js';
import { ConfigError } from '../../server/config/config-error.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { inTempFolder } from './temp-folder.js';
import { skip } from '../support/skip.js';

const fileConfig = (path: string, changes: Partial<FileAuditConfig> = {}): FileAuditConfig => ({
  path,
  additionalPaths: [],
  logRotation: undefined,
  ...changes,
});
const open = (path: string, changes: Partial<FileAuditConfig> = {}) =>
  openFileBackend(fileConfig(path, changes), (message) => assert.unreachable(message), [1, 1]);
const records = (count: number, padding = 0) =>
  Array.from({ length: count }, (_, index) => sampleRecord(index, 0, padding));
const linesOf = (path: string): readonly { readonly index: number }[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('an entry is one line: logger, kind, then the entry', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const backend = await open(path);
    assert.equal(await backend.write([sampleRecord(1)]), { written: 1, error: undefined });
    await backend.close();
    assert.is(
      readFileSync(path, 'utf8'),
      '{"log.logger":"authz.audit","log.kind":"decision","callId":"00000000000000000000000001","index":1}\n',
    );
    assert.is(statSync(path).mode & 0o777, 0o600);
  }));

test('a file that cannot be opened fails the start with an error that names it', () =>
  inTempFolder(async (folder) => {
    const problemOf = async (path: string, additionalPaths: readonly string[] = []): Promise<string> => {
      try {
        await open(path, { additionalPaths });
      } catch (error) {
        assert.instance(error, ConfigError);
        return (error as ConfigError).message;
      }
      return assert.unreachable(path) as never;
    };
    assert.match(
      await problemOf(join(folder, 'missing', 'audit.log')),
      /^audit\.file\.path: the folder `.*missing` of the audit file does not exist$/,
    );
    assert.match(await problemOf(folder), /^audit\.file\.path: the audit file `.*` is a folder$/);
    assert.match(
      await problemOf(join(folder, 'a.log'), [join(folder, 'missing', 'b.log')]),
      /^audit\.file\.additionalPaths: the folder/,
    );
  }));

test('additional paths get the same lines, and a path given twice is written once', () =>
  inTempFolder(async (folder) => {
    const [one, two] = [join(folder, 'a.log'), join(folder, 'b.log')];
    const backend = await open(one, { additionalPaths: [two, one] });
    await backend.write(records(10));
    await backend.close();
    assert.is(linesOf(one).length, 10);
    assert.is(readFileSync(two, 'utf8'), readFileSync(one, 'utf8'));
  }));

test('a full file is rotated under a timestamp, and no line is lost or split', () =>
  inTempFolder(async (folder) => {
    const backend = await open(join(folder, 'audit.log'), {
      logRotation: { maxFileSizeMB: 1, maxFileAgeDays: 0, maxFileCount: 0 },
    });
    for (let batch = 0; batch < 5; batch++) assert.is((await backend.write(records(100, 8000))).written, 100);
    await backend.close();
    const files = readdirSync(folder).sort();
    assert.is(files.length, 4, files.join());
    for (const name of files) {
      assert.match(name, /^audit(-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}(\.\d+)?)?\.log$/);
      assert.ok(statSync(join(folder, name)).size <= 1024 * 1024);
    }
    assert.is(files.flatMap((name) => linesOf(join(folder, name))).length, 500);
  }));

test('rotated files beyond the maximum number or age are deleted, and other files are kept', () =>
  inTempFolder(async (folder) => {
    const old = ['audit-2001-01-01T00-00-00.000.log', 'audit-2001-01-02T00-00-00.000.log'];
    const foreign = ['audit-notes.log', 'audit-2001-01-01T00-00-00.000.txt', 'other-2001-01-01T00-00-00.000.log'];
    for (const name of [...old, ...foreign]) writeFileSync(join(folder, name), 'x');
    const aged = await open(join(folder, 'audit.log'), {
      logRotation: { maxFileSizeMB: 1, maxFileAgeDays: 30, maxFileCount: 2 },
    });
    for (let batch = 0; batch < 5; batch++) await aged.write(records(100, 8000));
    await aged.close();
    const names = readdirSync(folder);
    for (const name of foreign) assert.ok(names.includes(name), name);
    for (const name of old) assert.not.ok(names.includes(name), name);
    assert.is(names.filter((name) => name.startsWith('audit-20') && name.endsWith('.log')).length, 2);
  }));

test('a file that another process moved away is created again', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const backend = await open(path);
    await backend.write(records(1));
    renameSync(path, `${path}.1`);
    await backend.write(records(2));
    await backend.close();
    assert.is(linesOf(`${path}.1`).length, 1);
    assert.is(linesOf(path).length, 2);
  }));

test('a full disk is counted and logged, and affects nothing else', async () => {
  const problems: string[] = [];
  const config = configWith({ backend: 'file', file: fileConfig('/dev/full') });
  const log = await openAuditLog(config, (message) => problems.push(message));
  for (let index = 0; index < 10; index++) log?.sink.put(sampleRecord(index));
  await log?.sink.close();
  assert.equal(log?.counts(), [
    { kind: 'access', written: 0, dropped: 0, failed: 5 },
    { kind: 'decision', written: 0, dropped: 0, failed: 5 },
  ]);
  assert.match(problems.join('\n'), /^\d+ audit entries could not be written: ENOSPC/);
});

test('an entry fails when one path fails, and the other paths still get it', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const backend = await open(path, { additionalPaths: ['/dev/full'] });
    const { written, error } = await backend.write(records(3));
    assert.is(written, 0);
    assert.match(String(error), 'ENOSPC');
    await backend.close();
    assert.is(linesOf(path).length, 3);
  }));

test('when the disk fills up in the middle of a line, whole lines stay and the partial one is removed', () =>
  inTempFolder(async (folder) => {
    // A limit on the file size is the closest thing to a full disk that needs no root: a write stops in the middle.
    const path = join(folder, 'audit.log');
    const report = await child(['limited', path], 'ulimit -f 64; exec "$0" "$@"');
    const lines = linesOf(path);
    assert.is(report, `${lines.length} of 100 EFBIG`);
    assert.ok(lines.length > 10 && lines.length < 100, report);
    assert.equal(
      lines.map(({ index }) => index),
      lines.map((_, index) => index),
    );
  }));

test('acknowledged entries are in the file after the process is killed', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const acknowledged = Number(await child(['killed', path], 'exec "$0" "$@"'));
    assert.ok(acknowledged > 0);
    const text = readFileSync(path, 'utf8');
    assert.ok(text.slice(0, text.lastIndexOf('\n') + 1).split('\n').length - 1 >= acknowledged);
  }));

test('stdout takes lines of any length from a slow reader, and a closed pipe does not end the process', async () => {
  const slow = await child(['stdout'], 'exec "$0" "$@" | { sleep 0.3; cat; }');
  const lines = slow.split('\n').filter((line) => line.startsWith('{'));
  assert.is(lines.length, 300);
  for (const line of lines) JSON.parse(line);
  const gone = await child(['gone'], '"$0" "$@" 2>&1 >&3 3>&- | cat', ' 3> >(head -c 10 >/dev/null)');
  assert.match(gone, /written \d+ failed [1-9]\d* EPIPE/);
});

/** The last output of a child process. The bash script gets the command as its arguments. */
function child(parts: readonly string[], script: string, redirection = ''): Promise<string> {
  const program = [
    process.execPath,
    '--import',
    'tsx',
    fileURLToPath(new URL('file-child.ts', import.meta.url)),
    ...parts,
  ];
  const bash = spawn('bash', ['-c', redirection === '' ? script : `exec${redirection}; ${script}`, ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  bash.stdout.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => bash.on('close', () => resolve(Buffer.concat(chunks).toString('utf8').trim())));
}

test('a folder that is not writable fails the start', () =>
  inTempFolder(async (folder) => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o500 });
    chmodSync(closed, 0o500);
    if (process.getuid?.() === 0)
      return skip(import.meta.url, 'root can write everywhere, so an unwritable folder is not tested');
    try {
      await open(join(closed, 'audit.log'));
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), 'EACCES');
    }
  }));

test.run();
