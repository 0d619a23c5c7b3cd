import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { archive } from '../support/archives/signed.js';
import { send } from '../support/server/http-client.js';
import { askRest } from '../support/workers/load.js';
import type { Server } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { signedSource } from './source.js';

/** Archives of a source whose builder's clock differs from that of the server: their times are near the limits. */
const test = suite('clocks that differ');

const { bundles, key, source, start: startTrusting, newCache } = await signedSource(test);

const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';
/** In so many seconds, RFC 3339. */
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

const start = (...sets: readonly string[]): Promise<Server> => startTrusting('bundle.poll.maxBackoff=1s', ...sets);

/** What a server decides, or why it does not start. */
const startedOr = (...sets: readonly string[]): Promise<string> =>
  start(...sets).then(
    ({ http }) => askRest(http, false),
    ({ message }: Error) => message,
  );
const decided = ({ http }: Server): Promise<string> => askRest(http, false);
const refusals = async ({ http }: Server, reason: string): Promise<number> => {
  const { text } = await send(http, 'GET', '/_authz/metrics', undefined, {});
  const series = `authz_bundle_rejected_total{reason="${reason}"} `;
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(series))
      ?.slice(series.length) ?? 0,
  );
};

for (const [name, manifest] of [
  ['a clock that is behind that of the builder', () => ({ notBefore: inSeconds(50) })],
  ['a clock that is ahead of that of the builder', () => ({ notAfter: inSeconds(-15) })],
] as const)
  test(`${name} by less than the skew is no reason to refuse, by more it is`, async () => {
    // Of an archive that was made just now: one start of a server may take long.
    const startedWith = async (...sets: readonly string[]): Promise<string> => {
      source.serve(await archive(bundles.view, manifest(), key));
      return startedOr(...sets);
    };
    assert.is(await startedWith(), VIEW, 'the default is a minute');
    assert.is(await startedWith('bundle.trust.clockSkew=90s'), VIEW);
    assert.match(await startedWith('bundle.trust.clockSkew=10s'), /is not valid before|expired at/);
    assert.match(await startedWith('bundle.trust.clockSkew=0s'), /is not valid before|expired at/);
  });

test('an archive that is not valid yet is refused, and served once it is, although the source does not change', async () => {
  source.serve(await archive(bundles.view, { sequence: 1 }, key));
  const server = await start('bundle.trust.clockSkew=0s');
  const notBefore = inSeconds(10);
  source.serve(await archive(bundles.edit, { sequence: 2, notBefore }, key));
  await until(async () => (await refusals(server, 'not_yet_valid')) > 0, 'a refusal');
  const early = await decided(server);
  // On a busy machine, its time may have come.
  if (Date.now() < Date.parse(notBefore)) assert.is(early, VIEW);
  await until(async () => (await decided(server)) === EDIT, 'the bundle whose time has come');
});

test('a bundle that expires while it is served stays, is reported, and does not start another server', async () => {
  const cache = newCache();
  const isCached = (): boolean => readdirSync(cache).some((file) => file.endsWith('.bundle'));
  // A bundle that expires before the server has stored it is refused: a slow machine needs more time.
  const startBefore = async (seconds: number): Promise<Server> => {
    source.serve(await archive(bundles.view, { sequence: 1, notAfter: inSeconds(seconds) }, key));
    const server = await start('bundle.trust.clockSkew=0s', `bundle.cache=${cache}`).catch((error: Error) => error);
    if (server instanceof Error) {
      assert.match(server.message, 'expired at');
      return startBefore(seconds * 2);
    }
    const isReported = (): boolean => server.log().some(({ message }) => message.includes('expired'));
    await until(() => isCached() || isReported(), 'a bundle on disk');
    return isCached() ? server : startBefore(seconds * 2);
  };
  const server = await startBefore(4);
  await until(() => server.log().some(({ message }) => message.includes('expired')), 'a line about it');
  assert.is(await decided(server), VIEW);

  assert.match(await startedOr('bundle.trust.clockSkew=0s', `bundle.cache=${newCache()}`), 'expired at');
  assert.match(await startedOr('bundle.trust.clockSkew=0s', `bundle.cache=${cache}`), 'expired at');
  // The clock may differ by so much: then it has not expired for this server.
  assert.is(await startedOr('bundle.trust.clockSkew=1h', `bundle.cache=${cache}`), VIEW);

  await source.stop();
  assert.match(await startedOr('bundle.trust.clockSkew=0s', `bundle.cache=${cache}`), 'cannot be reached');
  assert.is(await startedOr('bundle.trust.clockSkew=1h', `bundle.cache=${cache}`), VIEW, 'the last known good one');
});

test('a signature of the future counts within the skew, and an old one for so much longer than its age', async () => {
  const shifted = async (seconds: number): Promise<void> => {
    const { now } = Date;
    Date.now = () => now() + seconds * 1000;
    try {
      source.serve(await archive(bundles.view, {}, key));
    } finally {
      Date.now = now;
    }
  };
  await shifted(50);
  assert.is(await startedOr('bundle.trust.maxAge=1h'), VIEW);
  await shifted(50);
  assert.match(await startedOr('bundle.trust.maxAge=1h', 'bundle.trust.clockSkew=10s'), 'of the future');
  // It grows older while the server starts, and may be a minute older.
  await shifted(-3600 - 5);
  assert.is(await startedOr('bundle.trust.maxAge=1h'), VIEW);
  await shifted(-3600 - 11);
  assert.match(await startedOr('bundle.trust.maxAge=1h', 'bundle.trust.clockSkew=10s'), 'too old');
});

test.run();
