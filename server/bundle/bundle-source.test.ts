import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BundleText, readBundleFile } from './read-bundle.js';
import { BundleSource } from './bundle-source.js';

const test = suite('the source of a bundle');

const folder = mkdtempSync(join(tmpdir(), 'authz-source-'));
const file = join(folder, 'policies.js');
// The timers of a source do not keep a process alive.
const alive = setInterval(() => undefined, 1_000);

test.after(() => {
  clearInterval(alive);
  rmSync(folder, { recursive: true, force: true });
});

test('offers what was written after the server had read the file and before the first poll', async () => {
  writeFileSync(file, 'first');
  const { digest } = await readBundleFile(file);
  writeFileSync(file, 'other');
  const offered = await new Promise<BundleText>((resolve, failed) => {
    const source = new BundleSource({
      file,
      read: () => readBundleFile(file),
      digest,
      watch: true,
      failed,
      offer: async (bundle) => {
        source.stop();
        resolve(bundle);
      },
    });
  });
  assert.is(offered.text, 'other');
});

test('offers each version once, and none after it was stopped', async () => {
  writeFileSync(file, 'first');
  const offered: string[] = [];
  let next: () => void = () => undefined;
  const { digest } = await readBundleFile(file);
  const source = new BundleSource({
    file,
    read: () => readBundleFile(file),
    digest,
    watch: true,
    failed: (error) => offered.push(error.message),
    offer: async ({ text }) => {
      offered.push(text);
      next();
    },
  });
  for (const text of ['second', 'third!']) {
    const handled = new Promise<void>((resolve) => {
      next = resolve;
    });
    writeFileSync(file, text);
    await handled;
  }
  await source.look();
  source.stop();
  assert.equal(offered, ['second', 'third!']);
});

test('a check has the reason why the content of the file is not served, until it is', async () => {
  writeFileSync(file, 'first');
  const { digest } = await readBundleFile(file);
  const told: string[] = [];
  const source = new BundleSource({
    file,
    read: () => readBundleFile(file),
    digest,
    watch: false,
    failed: (error) => told.push(error.message),
    offer: async ({ text }) => {
      if (text === 'bad') throw new Error('broken');
    },
  });
  assert.is(await source.look(), undefined);
  writeFileSync(file, 'bad');
  // Told once, but still not served.
  assert.is((await source.look())?.message, 'broken');
  assert.is((await source.look())?.message, 'broken');
  assert.equal(told, ['broken']);
  rmSync(file);
  assert.match((await source.look())?.message ?? '', /bundle not found/);
  writeFileSync(file, 'first');
  assert.is(await source.look(), undefined);
  // The second and the third wait for the first: they are one check.
  const looks = [source.look(), source.look(), source.look()];
  assert.is(new Set(looks).size, 1);
  await Promise.all(looks);
});

test.run();
