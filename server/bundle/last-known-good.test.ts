import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LastKnownGood } from './last-known-good.js';

const test = suite('the last known good bundle');

const root = mkdtempSync(join(tmpdir(), 'authz-cache-'));
let count = 0;
const newFolder = (): string => join(root, `cache-${count++}`, 'nested');
const SOURCE = 'https://example.com/policies.authzbundle';
const MAX = 1024 * 1024;

test.after(() => rmSync(root, { recursive: true, force: true }));

test('what is written is read, with the version of the source', async () => {
  const cache = new LastKnownGood(newFolder(), SOURCE, MAX);
  assert.is(await cache.read(), undefined);
  const bytes = Buffer.from([0, 10, 13, 255, 10]);
  await cache.keep('{"etag":"\\"a\\nb\\""}', bytes);
  const kept = await cache.read();
  assert.is(kept?.version, '{"etag":"\\"a\\nb\\""}');
  assert.equal(Buffer.from(kept?.bytes ?? []), bytes);
});

test('sources that share a folder do not see each other', async () => {
  const folder = newFolder();
  const [one, other] = [new LastKnownGood(folder, SOURCE, MAX), new LastKnownGood(folder, `${SOURCE}2`, MAX)];
  await one.keep('1', Buffer.from('one'));
  assert.is(await other.read(), undefined);
  writeFileSync(other.file, readFileSync(one.file));
  await assertRejects(other.read(), 'is damaged');
});

test('any damage is detected', async () => {
  const cache = new LastKnownGood(newFolder(), SOURCE, MAX);
  await cache.keep('1', Buffer.from('policies'));
  const whole = readFileSync(cache.file);
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(cache.file, whole.subarray(0, length));
    await assertRejects(cache.read(), 'is damaged');
  }
  for (const at of [0, 1, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] as number) ^ 1;
    writeFileSync(cache.file, damaged);
    await assertRejects(cache.read(), 'is damaged');
  }
  writeFileSync(cache.file, Buffer.alloc(MAX + 64 * 1024));
  await assertRejects(cache.read(), 'is larger than a bundle may be');
});

test('writers do not disturb each other or a reader, and leave one file', async () => {
  const folder = newFolder();
  const caches = Array.from({ length: 4 }, () => new LastKnownGood(folder, SOURCE, MAX));
  const texts = caches.map((_, index) => String(index).repeat(100_000));
  await caches[0]?.keep('0', Buffer.from(texts[0] as string));
  let isDone = false;
  const reading = (async () => {
    while (!isDone) {
      const kept = await caches[0]?.read();
      assert.ok(texts.includes(Buffer.from(kept?.bytes ?? []).toString()));
    }
  })();
  await Promise.all(
    caches.map(async (cache, index) => {
      for (let round = 0; round < 20; round++) await cache.keep(String(index), Buffer.from(texts[index] as string));
    }),
  );
  isDone = true;
  await reading;
  assert.is(readdirSync(folder).length, 1);
});

test('files of processes that ended while they wrote are removed', async () => {
  const folder = newFolder();
  const cache = new LastKnownGood(folder, SOURCE, MAX);
  await cache.keep('1', Buffer.from('one'));
  const name = (id: string): string => `${cache.file}.1-00000000-0000-0000-0000-00000000000${id}.tmp`;
  for (const id of ['0', '1']) writeFileSync(name(id), 'half');
  utimesSync(name('0'), 0, 0);
  writeFileSync(join(folder, 'other.tmp'), '');
  utimesSync(join(folder, 'other.tmp'), 0, 0);
  await cache.keep('2', Buffer.from('two'));
  assert.equal(readdirSync(folder).length, 3);
});

test('a folder that cannot be written is an error that names the file', async () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  await assertRejects(new LastKnownGood(file, SOURCE, MAX).keep('1', Buffer.from('one')), 'cannot be written: EEXIST');
});

test.run();

async function assertRejects(promise: Promise<unknown>, expected: string): Promise<void> {
  const message = await promise.then(
    () => 'resolved',
    (error: Error) => error.message,
  );
  assert.ok(message.includes(expected), message);
}
