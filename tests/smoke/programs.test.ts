import { execFileSync } from 'node:child_process';
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
