import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluateBundle } from '../../server/swap/evaluate-bundle.js';
import { stop } from '../support/cli/programs.js';
import { send } from '../support/server/http-client.js';
import { askRest, startLoad } from '../support/workers/load.js';
import {
  compileBundles,
  discard,
  remove,
  replaceFile,
  type Server,
  startProgram,
  workersOf,
} from '../support/workers/server.js';
import { until } from '../support/timeout.js';

const test = suite('bundle reload');
const bundles = compileBundles();
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(bundles.folder));

const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';
const REFUSED = 'the bundle cannot be served; still serving the last good one';

async function start(...sets: string[]): Promise<Server> {
  const server = await startProgram(bundles.folder, bundles.view, sets);
  servers.push(server);
  return server;
}

/** Asks each worker in turn. */
/** The hash of the bundle in use. */
async function bundleHash({ http }: Server): Promise<unknown> {
  const { text } = await send(http, 'POST', '/authz.svc.v1.AuthzService/ServerInfo', '{}', {
    'content-type': 'application/json',
  });
  return (JSON.parse(text) as { readonly bundleHash: string }).bundleHash;
}

async function answers({ http }: Server): Promise<readonly string[]> {
  return [...new Set(await Promise.all(Array.from({ length: 6 }, () => askRest(http, false))))];
}

for (const workers of [1, 2]) {
  const title = workers === 1 ? 'one process' : 'several workers';

  test(`${title}: a new bundle is in use soon after its file was replaced or overwritten; no call fails, and every response comes from one of the two`, async () => {
    const server = await start(`server.workers=${workers}`);
    const load = startLoad(server.http, server.grpc);
    for (const [text, expected] of [
      [bundles.edit, EDIT],
      [bundles.view, VIEW],
    ] as const) {
      replaceFile(server.bundle, text);
      await until(async () => (await answers(server)).join() === expected, `${expected} after a rename`);
    }
    writeFileSync(server.bundle, bundles.edit);
    await until(async () => (await answers(server)).join() === EDIT, 'the other policies after a plain write');
    await load.stop();
    const { policies } = await evaluateBundle(bundles.edit, server.bundle);
    assert.is(await bundleHash(server), policies.hash);
    assert.equal([load.wrong, load.failed, load.refused], [[], [], 0]);
    assert.ok(load.answers.view > 10 && load.answers.edit > 10);
    await until(
      () => server.log().filter(({ message }) => message === 'serving a new bundle').length === 3,
      'three lines in the log',
    );
    assert.ok(
      server
        .log()
        .every((line) => line.message !== 'serving a new bundle' || /^[0-9a-f]{16}$/.test(String(line['hash']))),
    );
  });

  test(`${title}: without watching, SIGHUP reloads the file, and a touched but unchanged file is no reload`, async () => {
    const server = await start(`server.workers=${workers}`, 'server.watchBundle=false');
    replaceFile(server.bundle, bundles.edit);
    await sleep(1200);
    assert.equal(await answers(server), [VIEW]);
    server.running.child.kill('SIGHUP');
    await until(async () => (await answers(server)).join() === EDIT, 'the other policies');
    server.running.child.kill('SIGHUP');
    replaceFile(server.bundle, bundles.edit);
    await sleep(400);
    const { code } = await stop(server.running);
    assert.is(code, 0);
    assert.is(server.log().filter(({ message }) => message === 'serving a new bundle').length, 1);
  });

  test(`${title}: ReloadStore waits until every process uses the file, and has the reason if it cannot be served`, async () => {
    const passwordHash = Buffer.from(hashSync('open sesame', 4)).toString('base64');
    const server = await start(
      `server.workers=${workers}`,
      'server.watchBundle=false',
      'server.adminAPI.enabled=true',
      'server.adminAPI.adminCredentials.username=admin',
      `server.adminAPI.adminCredentials.passwordHash=${passwordHash}`,
    );
    const authorization = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;
    const reload = (query: string): ReturnType<typeof send> =>
      send(server.http, 'GET', `/admin/store/reload${query}`, undefined, { authorization });
    replaceFile(server.bundle, bundles.edit);
    const good = await reload('?wait=true');
    assert.equal([good.status, JSON.parse(good.text)], [200, {}]);
    assert.equal(await answers(server), [EDIT]);
    replaceFile(server.bundle, 'export const nothing = 1;\n');
    for (let time = 0; time < 2; time++) {
      const bad = await reload('?wait=true');
      assert.is(bad.status, 400);
      assert.match(bad.text, /"code":9.*still serving the last good one: .*is not a compiled bundle/);
    }
    assert.equal(await answers(server), [EDIT]);
    replaceFile(server.bundle, bundles.view);
    assert.is((await reload('')).status, 200);
    await until(async () => (await answers(server)).join() === VIEW, 'the other policies');
    assert.is((await reload('?wait=maybe')).status, 400);
  });

  test(`${title}: an invalid bundle is reported once and counted, the last good one stays in use, also in a new worker, and the next good one is loaded`, async () => {
    const server = await start(`server.workers=${workers}`);
    const bad: readonly string[] = [
      'not a module (',
      'export const nothing = 1;\n',
      bundles.edit.slice(0, -400),
      "export const policies = { hash: 'x', resourcePolicies: [{}], principalPolicies: [], rolePolicies: [] };\n",
      'throw new Error("at once");\n',
    ];
    for (const [index, text] of bad.entries()) {
      replaceFile(server.bundle, text);
      await until(
        () => server.log().filter(({ message }) => message === REFUSED).length === index + 1,
        `bad bundle ${index} is refused`,
      );
    }
    assert.equal(await answers(server), [VIEW]);
    if (workers > 1) {
      for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL');
      await until(
        async () => (await answers(server).catch(() => [])).join() === VIEW,
        'the last good policies in new workers',
      );
    }
    replaceFile(server.bundle, bundles.edit);
    await until(async () => (await answers(server).catch(() => [])).join() === EDIT, 'the next good bundle');
    if (workers === 1) {
      const { text, status } = await send(server.http, 'GET', '/_authz/metrics');
      if (status === 200) assert.match(text, /authz_bundle_reload_total\{result="failure"\} 5\b/);
    }
  });
}

test('a bundle that is written slowly is loaded once it is complete', async () => {
  const server = await start('server.workers=1');
  const size = Math.ceil(bundles.edit.length / 10);
  const refusals = (): number => server.log().filter(({ message }) => message === REFUSED).length;
  /** Returns the longest pause between two parts, in milliseconds. */
  const writeSlowly = async (text: string): Promise<number> => {
    let longest = 0;
    writeFileSync(server.bundle, text.slice(0, size));
    for (let at = size; at < text.length; at += size) {
      const begun = performance.now();
      await sleep(40);
      appendFileSync(server.bundle, text.slice(at, at + size));
      longest = Math.max(longest, performance.now() - begun);
    }
    return longest;
  };
  // What does not change for 150 ms is complete. On a busy machine, this process may stop for longer.
  for (;;) {
    const before = refusals();
    const longest = await writeSlowly(bundles.edit);
    await until(async () => (await answers(server)).join() === EDIT, 'the other policies');
    if (longest < 120) {
      assert.is(refusals(), before);
      return;
    }
    replaceFile(server.bundle, bundles.view);
    await until(async () => (await answers(server)).join() === VIEW, 'the first policies');
  }
});

test.run();
