import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { send } from '../support/server/http-client.js';
import { skip } from '../support/skip.js';
import { freePort } from '../support/free-port.js';
import { askRest } from '../support/workers/load.js';
import { compileBundles, discard, remove, type Server, startConfigured } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { Source } from './source.js';

const test = suite('a server with a source');
const bundles = compileBundles();
const servers: Server[] = [];

const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';

let source: Source;

test.before.each(async () => {
  source = new Source(await freePort());
  source.serve(bundles.view);
  await source.start();
});
test.after.each(async () => {
  discard(servers);
  await source.stop();
});
test.after(() => remove(bundles.folder));

async function start(...sets: readonly string[]): Promise<Server> {
  const keys = [
    `bundle.source=${source.url}`,
    'server.workers=1',
    'bundle.poll.interval=1s,bundle.poll.jitter=0,bundle.poll.timeout=60s,bundle.startTimeout=0s,bundle.proxy.url=',
    ...sets,
  ];
  const server = await startConfigured(bundles.folder, keys);
  servers.push(server);
  return server;
}

async function answers({ http }: Server): Promise<string> {
  return [...new Set(await Promise.all(Array.from({ length: 6 }, () => askRest(http, false))))].join();
}

async function health({
  http,
}: Server): Promise<{ readonly status: string; readonly bundle?: { readonly state: string } }> {
  return JSON.parse((await send(http, 'GET', '/_authz/health', undefined, {})).text);
}

/** The status of a probe that limits the age of the bundle. */
async function probe({ http }: Server, maxBundleAge: string): Promise<number> {
  return (await send(http, 'GET', `/_authz/health?maxBundleAge=${maxBundleAge}`, undefined, {})).status;
}

async function metric({ http }: Server, name: string): Promise<number | undefined> {
  const { text } = await send(http, 'GET', '/_authz/metrics', undefined, {});
  const line = text.split('\n').find((each) => each.startsWith(`authz_bundle_source_${name} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

/** In the order of time: errors go to another stream. */
const messages = (server: Server): readonly string[] =>
  [...server.log()]
    .sort((one, other) => String(one['@timestamp']).localeCompare(String(other['@timestamp'])))
    .filter((line) => line['log.logger'] === 'authz.bundle')
    .map(({ message }) => message);

const isKept = (cache: string): boolean => readdirSync(cache).some((name) => name.endsWith('.bundle'));
const newCache = (): string => mkdtempSync(join(bundles.folder, 'cache-'));

for (const workers of [1, 2]) {
  const title = workers === 1 ? 'one process' : 'several workers';

  test(`${title}: new versions are served; what cannot be used is not, and is reported once`, async () => {
    const server = await start(`server.workers=${workers}`);
    assert.is(await answers(server), VIEW);
    assert.equal(await health(server), { status: 'SERVING', bundle: { state: 'current' } });
    source.serve(bundles.edit);
    await until(async () => (await answers(server)) === EDIT, 'the new bundle');
    source.serve('this is not a bundle');
    await until(async () => (await health(server)).bundle?.state === 'stale', 'a stale bundle');
    const before = source.requests;
    const begun = performance.now();
    await sleep(2500);
    const requests = source.requests - before;
    // One of them may be late: it was sent before, and this process had to wait for a processor.
    assert.ok(requests <= 2 + (performance.now() - begun) / 1000, String(requests));
    assert.is(await answers(server), EDIT);
    assert.ok(((await metric(server, 'failures_total{reason="not_loadable"}')) ?? 0) >= 1);
    source.serve(bundles.view);
    await until(async () => (await answers(server)) === VIEW, 'the good bundle');
    await until(async () => (await health(server)).bundle?.state === 'current', 'a current bundle');
    // The log may arrive after the response.
    await until(() => messages(server).includes('the source works again'), 'the line about it');
    assert.equal(messages(server), [
      'serving a new bundle',
      'the source has no usable bundle; still serving the last good one',
      'serving a new bundle',
      'the source works again',
    ]);
  });

  test(`${title}: a server that starts while the source is away serves the last known good bundle, and says so`, async () => {
    const cache = newCache();
    const keys = [`server.workers=${workers}`, `bundle.cache=${cache}`];
    const first = await start(...keys);
    assert.is(await answers(first), VIEW);
    await until(() => isKept(cache), 'a bundle on disk');
    discard(servers);
    await source.stop();
    const second = await start(...keys);
    assert.is(await answers(second), VIEW);
    const { bundle } = await health(second);
    assert.is(bundle?.state, 'last_known_good');
    assert.is((bundle as { readonly reason?: string }).reason, 'unreachable');
    assert.is(await metric(second, 'last_known_good'), 1);
    await until(async () => (await probe(second, '1h')) === 200, 'the age of the bundle');
    assert.is(await probe(second, '0s'), 503);
    assert.is(await probe(second, 'soon'), 400);
    await until(
      () => messages(second).includes('the source has no usable bundle; serving the last known good one'),
      'the line about it',
    );
    source.serve(bundles.edit);
    await source.start();
    await until(async () => (await answers(second)) === EDIT, 'the bundle of the source');
    // Workers hear of it after the policies have changed.
    await until(async () => (await health(second)).bundle?.state === 'current', 'a current bundle');
    await until(async () => (await probe(second, '0s')) === 200, 'a bundle of age zero');
    await until(async () => (await metric(second, 'last_known_good')) === 0, 'the metric of it');
  });
}

test('a server without a bundle on disk tries for a while, and ends with the reason', async () => {
  await source.stop();
  const asked = Date.now();
  const failing = start('bundle.startTimeout=2s');
  const message = await failing.then(
    () => '',
    (error: Error) => error.message,
  );
  assert.match(message, `error: ${source.url}: cannot be reached (ECONNREFUSED)`);
  assert.ok(Date.now() - asked >= 1000);
  setTimeout(() => void source.start(), 1500);
  assert.is(await answers(await start('bundle.startTimeout=10m')), VIEW);
});

test('a damaged bundle on disk, or one of a damaged source, is not served', async () => {
  const cache = newCache();
  const server = await start(`bundle.cache=${cache}`);
  await until(() => isKept(cache), 'a bundle on disk');
  discard(servers);
  assert.is(await answers(server).catch(() => 'ended'), 'ended');
  const [name = ''] = readdirSync(cache).filter((each) => each.endsWith('.bundle'));
  const content = readFileSync(join(cache, name));
  // The source has something else, so the last known good bundle counts.
  source.serve('this is not a bundle');
  assert.is(await answers(await start(`bundle.cache=${cache}`)), VIEW);
  discard(servers);
  content[content.length - 1] = (content.at(-1) as number) ^ 1;
  writeFileSync(join(cache, name), content);
  const failed = await start(`bundle.cache=${cache}`).catch((error: Error) => error.message);
  assert.match(String(failed), 'cannot be loaded');
});

test('the source is asked at once by SIGHUP and by the admin API, which has the reason', async () => {
  const passwordHash = Buffer.from(hashSync('secret', 4)).toString('base64');
  const admin = 'server.adminAPI.adminCredentials';
  const server = await start(
    'bundle.poll.interval=1h,server.workers=1,server.adminAPI.enabled=true',
    `${admin}.username=admin`,
    `${admin}.passwordHash=${passwordHash.replace(/=/g, '\\=')}`,
  );
  const reload = () =>
    send(server.http, 'GET', '/admin/store/reload?wait=true', undefined, {
      authorization: `Basic ${Buffer.from('admin:secret').toString('base64')}`,
    });
  source.serve(bundles.edit);
  server.running.child.kill('SIGHUP');
  await until(async () => (await answers(server)) === EDIT, 'the new bundle');
  source.serve(bundles.view);
  assert.is((await reload()).status, 200);
  assert.is(await answers(server), VIEW);
  source.answer = (_, response) => void response.writeHead(503).end();
  const refused = await reload();
  assert.is(refused.status, 400);
  assert.match(refused.text, 'answered with status 503');
});

test('a source that is slow, away or mad does not touch decisions', async () => {
  const server = await start(
    'bundle.poll.timeout=2s,bundle.poll.idleTimeout=500ms,bundle.poll.maxSize=1000000,bundle.poll.maxBackoff=1s',
  );
  const answersOf: readonly [reason: string, answer: Source['answer']][] = [
    ['timeout', () => undefined],
    ['timeout', (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('x')],
    ['too_large', (_, response) => void response.writeHead(200, { 'content-length': '2000000' }).write('x')],
    [
      'truncated',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('x');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    ['status', (_, response) => void response.writeHead(500).end('garbage')],
    ['redirect', (_, response) => void response.writeHead(302, { location: '/again' }).end()],
  ];
  for (const [reason, answer] of answersOf) {
    const name = `failures_total{reason="${reason}"}`;
    const before = (await metric(server, name)) ?? 0;
    source.answer = answer;
    await until(async () => ((await metric(server, name)) ?? 0) > before, reason);
    assert.is(await answers(server), VIEW);
  }
});

test('a full disk does not stop new bundles', async () => {
  const disk = join(bundles.folder, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch {
    skip(import.meta.url, 'a small file system cannot be mounted');
    return;
  }
  try {
    const server = await start(`bundle.cache=${disk}`);
    await until(
      async () => ((await metric(server, 'cache_writes_total{result="failure"}')) ?? 0) > 0,
      'a failed write',
    );
    source.serve(bundles.edit);
    await until(async () => (await answers(server)) === EDIT, 'the new bundle');
    await until(() => readdirSync(disk).length === 0, 'an empty disk');
    assert.is(messages(server).filter((message) => message.includes('cannot be written')).length, 1);
  } finally {
    discard(servers);
    await sleep(100);
    execFileSync('umount', ['-l', disk]);
  }
});

test('a bundle by an option contradicts a source', async () => {
  const failed = await startConfigured(bundles.folder, [`bundle.source=${source.url}`], ['--bundle', 'x.js']).catch(
    (error: Error) => error.message,
  );
  assert.match(String(failed), '`--bundle` contradicts `bundle.source`');
});

test('a file is a source, too', async () => {
  const file = join(bundles.folder, 'served.js');
  writeFileSync(file, bundles.view);
  const server = await startConfigured(bundles.folder, [`bundle.source=${file}`, 'server.workers=1']);
  servers.push(server);
  assert.is(await answers(server), VIEW);
  writeFileSync(file, bundles.edit);
  await until(async () => (await answers(server)) === EDIT, 'the new bundle');
  assert.equal(await health(server), { status: 'SERVING' });
  assert.is(await probe(server, '0s'), 200);
  assert.not.ok(existsSync(join(bundles.folder, 'none')));
  rmSync(file);
});

test.run();
