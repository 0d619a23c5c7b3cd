import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LastKnownGood } from '../../server/bundle/last-known-good.js';
import { SignedBundles } from '../../server/bundle/signed-bundles.js';
import { writeAtomically } from '../../server/bundle/write-atomically.js';
import { archive } from '../support/archives/signed.js';
import { send } from '../support/server/http-client.js';
import { askRest } from '../support/workers/load.js';
import { discard, type Server } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { signedSource } from './source.js';

/** Several servers that have one cache folder, as pods with one volume do. */
const test = suite('a cache folder of several servers');

const { bundles, key, keyFile, source, servers, start: startTrusting, newCache } = await signedSource(test);

const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';
const acceptedIn = (cache: string): number => JSON.parse(readFileSync(join(cache, 'accepted.json'), 'utf8')).sequence;
const keptIn = async (cache: string): Promise<Buffer | undefined> => {
  const kept = await new LastKnownGood(cache, source.url, 100_000_000).read();
  return kept && Buffer.from(kept.bytes);
};

const start = (cache: string): Promise<Server> => startTrusting(`bundle.cache=${cache}`);
const decided = ({ http }: Server): Promise<string> => askRest(http, false);
const state = async ({ http }: Server): Promise<string> =>
  JSON.parse((await send(http, 'GET', '/_authz/health', undefined, {})).text).bundle.state;

test('what one of them has accepted and kept, all of them start with while the source is away', async () => {
  const cache = newCache();
  const five = await archive(bundles.view, { sequence: 5 }, key);
  const six = await archive(bundles.edit, { sequence: 6 }, key);
  source.serve(five);
  const [one, other] = await Promise.all([start(cache), start(cache)]);
  assert.equal([await decided(one), await decided(other)], [VIEW, VIEW]);
  source.serve(six);
  await until(async () => (await decided(one)) === EDIT && (await decided(other)) === EDIT, 'the new bundle in both');
  await until(async () => (await keptIn(cache))?.equals(six) === true, 'the new bundle on disk');
  assert.is(acceptedIn(cache), 6);
  // The other one may still be writing the same bytes.
  await until(() => readdirSync(cache).every((name) => !name.endsWith('.tmp')), 'no file that is half written');

  discard(servers);
  await source.stop();
  const again = await Promise.all([start(cache), start(cache)]);
  for (const server of again) assert.equal([await decided(server), await state(server)], [EDIT, 'last_known_good']);

  // A source that comes back with an older bundle convinces none of them.
  source.serve(five);
  await source.start();
  for (const server of again)
    await until(() => server.log().some((line) => line['reason'] === 'replayed'), 'a refusal');
  for (const server of again) assert.is(await decided(server), EDIT);
  assert.ok((await keptIn(cache))?.equals(six));
});

test('a server that was slower does not replace the bundle of one that is ahead', async () => {
  const cache = newCache();
  const five = await archive(bundles.view, { sequence: 5 }, key);
  const six = await archive(bundles.edit, { sequence: 6 }, key);
  source.serve(six);
  const ahead = await start(cache);
  await until(async () => (await keptIn(cache))?.equals(six) === true, 'a bundle on disk');
  source.serve(five);
  const failed = await start(cache).then(
    async (behind) => `${await decided(behind)} ${await state(behind)}`,
    (error: Error) => error.message,
  );
  assert.is(failed, `${EDIT} last_known_good`);
  assert.is(await decided(ahead), EDIT);
  assert.ok((await keptIn(cache))?.equals(six));
});

test('writers of one file do not disturb each other, whatever their process numbers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-shared-'));
  try {
    const file = join(folder, 'accepted.json');
    const texts = Array.from({ length: 40 }, (_, index) =>
      JSON.stringify({ sequence: index, pad: 'x'.repeat(index * 50) }),
    );
    await Promise.all(texts.map((text) => writeAtomically(file, Buffer.from(text))));
    assert.ok(texts.includes(readFileSync(file, 'utf8')));

    const stores = Array.from({ length: 4 }, () => new LastKnownGood(folder, 'a source', 1_000_000));
    const sizes = [10, 100_000, 500, 300_000];
    await Promise.all(
      stores.map(async (store, index) => {
        for (let round = 0; round < 10; round++) {
          await store.keep(`v${index}`, Buffer.alloc(sizes[index] as number, index));
          const kept = await store.read();
          const writer = Number(kept?.version.slice(1));
          assert.ok(kept && Buffer.from(kept.bytes).equals(Buffer.alloc(sizes[writer] as number, writer)));
        }
      }),
    );
    assert.equal(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the highest sequence is remembered again after a slower server wrote a lower one', async () => {
  const cache = newCache();
  const trust = { keys: [keyFile], required: 1, maxAge: undefined, requireSequence: false, clockSkew: 0 };
  const open = (): Promise<SignedBundles> => SignedBundles.open(trust, cache);
  const accept = (bundles_: SignedBundles, sequence: number): Promise<void> =>
    bundles_.accepted({ digest: `d${sequence}`, manifest: { sequence } } as never);
  const [fast, slow] = [await open(), await open()];
  await accept(fast, 7);
  // As if it had read the file before.
  writeFileSync(join(cache, 'accepted.json'), '{"sequence":6,"digest":"d6"}');
  await accept(fast, 7);
  assert.is(acceptedIn(cache), 7);
  await accept(slow, 6);
  assert.is(acceptedIn(cache), 7);
});

test.run();
