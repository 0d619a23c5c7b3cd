import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/free-port.js';
import { restClient } from '../../packages/client/index.js';
import { grpcClient } from '../../packages/client/grpc.js';
import { type Ended, PROGRAMS, run } from '../support/cli/programs.js';
import { discard, remove, type Server, startProgram } from '../support/workers/server.js';
import { succeedOnce, until } from '../support/timeout.js';
import { ADMIN_SETS, type Ask, ASKS, compileBundles, rollout } from './served.js';

const test = suite('the state of servers');
const bundles = compileBundles();
const { view, edit } = bundles;
const servers: Server[] = [];
let one: Server;
let two: Server;
let silent: HttpServer;
const candidate = join(bundles.folder, 'candidate.js');
const differences = join(bundles.folder, 'differences.log');

test.before(async () => {
  writeFileSync(candidate, edit.text);
  const sets = [...ADMIN_SETS, 'server.workers=1', `bundle.rollout.candidate=${candidate}`, 'bundle.rollout.rate=1'];
  one = await startProgram(bundles.folder, view.text, [...sets, `bundle.rollout.log=${differences}`]);
  two = await startProgram(bundles.folder, view.text, sets);
  servers.push(one, two);
  // It accepts connections and never answers.
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
});
test.after(() => {
  discard(servers);
  silent.closeAllConnections();
  silent.close();
  remove(bundles.folder);
});

const fleet = (urls: readonly string[], ...flags: readonly string[]): Promise<Ended> =>
  run(PROGRAMS.authzc, ['fleet', 'status', '--timeout', '1m', ...urls, ...flags], bundles.folder);
const CREDENTIALS = ['--username', 'admin', '--password', 'open sesame'];

test('servers that agree', async () => {
  const urls = [`http://${one.http}`, `http://${two.http}/`];
  const { code, stdout } = await fleet(urls, ...CREDENTIALS);
  assert.match(stdout, new RegExp(`^http://${one.http} +${view.hash} +- +\\d+s +ok +shadow ${edit.hash}$`, 'm'));
  assert.match(stdout, /2 servers agree\n$/);
  assert.is(code, 0);
  writeFileSync(join(bundles.folder, 'servers.txt'), `# ours\n${urls.join('\n')}\n`);
  const json = await fleet([], '--file', 'servers.txt', '-o', 'json');
  const { agree, servers: states } = JSON.parse(json.stdout) as { agree: boolean; servers: readonly object[] };
  assert.equal([json.code, agree, states.length], [0, true, 2]);
});

test('servers that disagree, do not answer, or refuse the admin', async () => {
  const { port } = silent.address() as AddressInfo;
  await rollout(two, 'promote', {});
  const urls = [
    `http://${one.http}`,
    `http://${two.http}`,
    `http://127.0.0.1:${port}`,
    `http://127.0.0.1:${await freePort()}`,
  ];
  // On a busy machine, those that answer may need longer than a few seconds.
  await succeedOnce(2, async (done) => {
    const seconds = 8 * 8 ** done;
    const { code, stdout } = await fleet(urls, ...CREDENTIALS, '--timeout', `${seconds}s`);
    assert.is(code, 1);
    assert.match(stdout, new RegExp(`^http://127.0.0.1:\\d+ +- .*no answer in ${seconds}000 ms$`, 'm'));
    assert.match(stdout, /ECONNREFUSED/);
    assert.match(stdout, /2 of 4 servers did not answer\nthe servers use 2 bundles\nthe servers are in 2 stages/);
  });
  const refused = await fleet([`http://${one.http}`], '--username', 'admin', '--password', 'wrong');
  assert.is(refused.code, 1);
  assert.match(refused.stdout, /incorrect credentials/);
  await rollout(two, 'roll_back', {});
});

test('wrong arguments', async () => {
  for (const [flags, reason] of [
    [[], /name at least one server/],
    [['localhost:1'], /`localhost:1` is not an http or https URL/],
    [['http://a:b@localhost'], /must not have credentials/],
    [['http://localhost', '--timeout', 'soon'], /`--timeout` must be a duration/],
    [['http://localhost', '--username', 'a'], /both `--username` and `--password`/],
  ] as const) {
    const { code, stderr } = await fleet(flags);
    assert.match(stderr, reason);
    assert.is(code, 2);
  }
  const { code, stderr } = await fleet(['--file', 'absent.txt']);
  assert.match(stderr, /`absent.txt` cannot be read: file not found/);
  assert.is(code, 1);
});

test('clients return the hash of the bundle that decided, and can demand one', async () => {
  const question = {
    principal: { id: 'ann', roles: ['user'] },
    resource: { kind: 'document', id: 'd1' },
    actions: ['view'],
  };
  for (const client of [restClient({ url: `http://${one.http}` }), grpcClient({ address: one.grpc })]) {
    const answer = await client.check(question, { minBundle: view.hash });
    assert.equal([answer.allowed['view'], answer.bundleHash], [true, view.hash]);
    const plan = await client.plan(question);
    assert.is(plan.bundleHash, view.hash);
    const failed = await client.check(question, { minBundle: 'abc' }).catch(({ code }: { code: string }) => code);
    assert.is(failed, 'failed_precondition');
    await client.close();
  }
});

test('a shadow changes no answer; its differences are counted and can be replayed', async () => {
  for (const [name, ask] of Object.entries(ASKS)) {
    if (name === 'gateway' || name === 'explanation') continue;
    const told = await (ask as Ask)(one, 'ann');
    assert.equal([told.view ?? true, told.edit ?? false, told.hash], [true, false, view.hash], name);
  }
  const metrics = async (): Promise<string> => (await fetch(`http://${one.http}/_authz/metrics`)).text();
  await until(
    async () =>
      /authz_rollout_differences_total\{call="check",kind="document",action="view",change="allow_to_deny"\} [4-9]/.test(
        await metrics(),
      ),
    'counted differences',
  );
  assert.match(await metrics(), /call="plan",kind="document",action="view",change="always_allowed_to_always_denied"/);
  assert.match(await metrics(), new RegExp(`authz_rollout_info\\{hash="${edit.hash}",stage="shadow"\\} 1`));
  const replayed = await run(
    PROGRAMS.authzc,
    ['replay', differences, '--against', join(bundles.folder, 'edit'), '-o', 'json'],
    bundles.folder,
  );
  assert.is(replayed.code, 1, replayed.stderr);
  assert.match(replayed.stdout, /view/);
});

test.run();

/** A port on which nothing listens. */
