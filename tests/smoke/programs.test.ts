import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkOverGrpc } from '../support/cli/grpc-check.js';
import { CHECK, documentPolicy } from '../support/cli/policies.js';
import { launch, PROGRAMS, type Running, stop } from '../support/cli/programs.js';
import { newRepository } from '../support/git-repository.js';
import { send } from '../support/server/http-client.js';
import { until } from '../support/timeout.js';

/** The shipped programs as processes. `commands.test.ts` has the commands that end. */
const test = suite('the programs serve');

const LOOPBACK = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];

const repository = newRepository();
repository.commit({ 'policies/document.yaml': documentPolicy('view') });
const servers: Running[] = [];
test.before(() => {
  execFileSync(process.execPath, [PROGRAMS.authzc, 'compile'], { cwd: repository.folder, stdio: 'pipe' });
});
test.after(async () => {
  await Promise.all(servers.splice(0).map((server) => stop(server)));
  repository.remove();
});

for (const [program, options] of [
  ['authzc', ['serve']],
  ['server', ['--bundle', 'dist/policies.js']],
] as const) {
  test(`${program}: REST and gRPC decide alike, a list is planned, and it stops when told`, async () => {
    const server = launch(PROGRAMS[program], [...options, ...LOOPBACK], repository.folder);
    servers.push(server);
    const line = await server.firstLine;
    const [http = '', grpc = ''] = [...line.matchAll(/127\.0\.0\.1:\d+/g)].map(([address]) => address);
    const expected = { view: 'EFFECT_ALLOW', edit: 'EFFECT_DENY' };
    const rest = await send(http, 'POST', '/api/check/resources', JSON.stringify(CHECK));
    assert.equal(decided(JSON.parse(rest.text)), expected);
    assert.equal(decided(await checkOverGrpc(grpc, CHECK)), expected);
    const plan = await send(
      http,
      'POST',
      '/api/plan/resources',
      JSON.stringify({ principal: CHECK.principal, resource: { kind: 'document' }, actions: ['view'] }),
    );
    assert.match(plan.text, /KIND_ALWAYS_ALLOWED/);
    assert.is((await stop(server)).code, 0);
  });
}

test('server: checks, plans, health and metrics load neither Fastify nor HTTP/2 nor gRPC', async () => {
  const list = join(repository.folder, 'loaded.txt');
  const probe = join(repository.folder, 'probe.cjs');
  writeFileSync(
    probe,
    `const { Session } = require('node:inspector');
    const { appendFileSync } = require('node:fs');
    const session = new Session();
    session.connect();
    session.on('Debugger.scriptParsed', ({ params }) => appendFileSync(${JSON.stringify(list)}, params.url + '\\n'));
    session.post('Debugger.enable');`,
  );
  const options = ['--bundle', 'dist/policies.js', '--set', 'server.workers=1', ...LOOPBACK];
  const server = launch(PROGRAMS.server, options, repository.folder, { NODE_OPTIONS: `--require=${probe}` });
  servers.push(server);
  const [http = '', grpc = ''] = [...(await server.firstLine).matchAll(/127\.0\.0\.1:\d+/g)].map(
    ([address]) => address,
  );
  const statuses = [
    await send(http, 'POST', '/api/check/resources', JSON.stringify(CHECK)),
    await send(
      http,
      'POST',
      '/api/plan/resources',
      JSON.stringify({ principal: CHECK.principal, resource: { kind: 'document' }, actions: ['view'] }),
    ),
    await send(http, 'GET', '/_authz/health'),
    await send(http, 'GET', '/_authz/metrics'),
  ].map(({ status }) => status);
  assert.equal(statuses, [200, 200, 200, 200]);
  const expensive =
    /\/fastify-|node:(?:http2|https|internal\/http2\/core|internal\/deps\/undici\/undici|internal\/crypto\/webcrypto)$|@grpc/gm;
  assert.equal(readFileSync(list, 'utf8').match(expensive), null);
  // What is not there is loaded when it is asked for.
  await checkOverGrpc(grpc, CHECK);
  assert.is((await send(http, 'GET', '/api/server_info')).status, 200);
  assert.match(readFileSync(list, 'utf8'), '/fastify-');
  assert.match(readFileSync(list, 'utf8'), '/@grpc/grpc-js/');
  assert.is((await stop(server)).code, 0);
});

test('authzc dev: the playground is served, and it stops when told', async () => {
  const server = launch(PROGRAMS.authzc, ['dev', '--port', '0'], repository.folder);
  servers.push(server);
  const address = /API explorer at http:\/\/(\S+?)\/\n/;
  await until(() => address.test(server.printed()), server.said);
  const [, http = ''] = address.exec(server.printed()) ?? [];
  assert.is((await send(http, 'GET', '/_authz/health')).status, 200);
  assert.is((await stop(server)).code, 0);
});

function decided(answer: unknown): unknown {
  return (answer as { readonly results: readonly { readonly actions: unknown }[] }).results[0]?.actions;
}

test.run();
