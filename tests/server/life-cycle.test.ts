import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch, PROGRAMS } from '../support/cli/programs.js';
import { freePort } from '../support/free-port.js';
import { send } from '../support/server/http-client.js';
import { closeWithoutDelay, start } from '../support/server/start.js';
import { skip } from '../support/skip.js';
import { LAST_RESORT, until } from '../support/timeout.js';

const test = suite('start and stop');
const LOOPBACK = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0,server.workers=1'];
const CHECK = JSON.stringify({
  principal: { id: 'a', roles: ['u'] },
  resources: [{ resource: { kind: 'k', id: '1' }, actions: ['read'] }],
});
let folder = '';
let bundle = '';

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-server-'));
  bundle = join(folder, 'policies.mjs');
  writeFileSync(
    bundle,
    "export const policies = { hash: 'h', resourcePolicies: [], principalPolicies: [], rolePolicies: [] };\n",
  );
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('one line names both listeners, and SIGTERM stops the idle server quickly with status 0', async () => {
  const server = launch(PROGRAMS.server, ['--bundle', bundle, ...LOOPBACK], folder);
  const line = await server.firstLine;
  const [, http, grpc] = /http:\/\/(\S+), gRPC on (\S+)$/.exec(line) ?? [];
  const answer = await send(http as string, 'POST', '/api/check/resources', CHECK);
  assert.match(answer.text, '"read":"EFFECT_DENY"');
  // Idle connections of both kinds must not delay it.
  const agent = new Agent({ keepAlive: true });
  await new Promise((resolve) =>
    request(`http://${http}/_authz/health`, { agent }, (response) => response.resume().on('end', resolve)).end(),
  );
  const client = new Client(grpc as string, credentials.createInsecure());
  await new Promise((resolve, reject) =>
    client.waitForReady(Date.now() + LAST_RESORT, (error) => (error ? reject(error) : resolve(undefined))),
  );
  server.child.kill('SIGTERM');
  await closeWithoutDelay(() => server.ended);
  const { code, stdout, stderr } = await server.ended;
  assert.is(code, 0, stderr);
  // The rest is the log.
  assert.is(stdout.split('\n').filter((text) => text !== '' && !text.startsWith('{')).length, 1);
  agent.destroy();
  client.close();
});

test('a server whose output is on a full disk starts and serves', async () => {
  const full = '/dev/full';
  if (!existsSync(full)) return skip(import.meta.url, `${full} is not there`);
  const port = await freePort();
  const output = openSync(full, 'w');
  const options = ['--bundle', bundle, '--set', LOOPBACK[1]?.replace(':0', `:${port}`) ?? ''];
  const child = spawn(process.execPath, [PROGRAMS.server, ...options], { stdio: ['ignore', output, output] });
  const ended = once(child, 'close');
  const ask = (): Promise<{ readonly text: string } | undefined> =>
    send(`127.0.0.1:${port}`, 'POST', '/api/check/resources', CHECK).catch(() => undefined);
  await until(async () => (await ask())?.text.includes('"read":"EFFECT_DENY"') === true || child.exitCode !== null);
  child.kill('SIGTERM');
  assert.equal(await ended, [0, null]);
  closeSync(output);
});

// The other starts that fail are in tests/config/start-failures.test.ts.
test('a bundle that cannot be served as configured ends the start with status 1 and one line', async () => {
  const options = ['--bundle', bundle, ...LOOPBACK, '--set', 'engine.strictEvaluation=true'];
  const { code, stderr, stdout } = await launch(PROGRAMS.server, options, folder).ended;
  assert.is(code, 1, stderr);
  assert.match(stderr, /^authz: error: [^\n]*traced conditions[^\n]*\n$/);
  assert.is(stdout, '');
});

test('an invalid flag is a usage error', async () => {
  const { code, stderr } = await launch(PROGRAMS.server, ['--nope'], folder).ended;
  assert.is(code, 2);
  assert.match(stderr, 'unknown option `--nope`');
});

test('a request that is still being sent when the server stops is answered, and its connection is closed', async () => {
  const server = await start();
  const [host, port] = server.httpAddress.split(':');
  const head = `POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: ${CHECK.length}\r\nExpect: 100-continue\r\n\r\n`;
  const socket = connect(Number(port), host);
  const asked = once(socket, 'data');
  await written(socket, head + CHECK.slice(0, 20));
  assert.match(String(await asked), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  const closing = server.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
    });
    socket.on('close', () => resolve(text));
  });
  await written(socket, CHECK.slice(20));
  assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close/);
  await closing;
});

test('a stopped server accepts no connections, and stopping twice is the same as once', async () => {
  const server = await start();
  await Promise.all([server.close(), server.close()]);
  let refused = false;
  await send(server.httpAddress, 'GET', '/_authz/health').catch(() => {
    refused = true;
  });
  assert.ok(refused);
});

test('both listeners can be sockets; a stale file is replaced, and their own are removed on stop', async () => {
  const http = join(folder, 'http.sock');
  const grpc = join(folder, 'grpc.sock');
  writeFileSync(http, 'left over');
  const server = await start([
    `server.httpListenAddr=unix:${http}`,
    `server.grpcListenAddr=unix:${grpc}`,
    'server.udsFileMode=0o700',
  ]);
  assert.is(server.httpAddress, `unix:${http}`);
  assert.is(statSync(http).mode & 0o777, 0o700);
  const status = await new Promise((resolve, reject) => {
    request({ socketPath: http, path: '/_authz/health', agent: false }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
  assert.is(status, 200);
  const client = new Client(`unix:${grpc}`, credentials.createInsecure());
  await new Promise((resolve, reject) =>
    client.waitForReady(Date.now() + LAST_RESORT, (error) => (error ? reject(error) : resolve(undefined))),
  );
  client.close();
  await server.close();
  assert.not(existsSync(http));
  assert.not(existsSync(grpc));
});

function written(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => socket.write(text, () => resolve()));
}

test.run();
