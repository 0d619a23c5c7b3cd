import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { launch, PROGRAMS, type Running } from '../support/cli/programs.js';
import { newRepository, type Repository } from '../support/git-repository.js';
import { skip } from '../support/skip.js';
import { missing, SSHD, type SshServer, startSsh } from '../support/sources/daemons.js';
import { askRest } from '../support/workers/load.js';
import { until } from '../support/timeout.js';

const test = suite('policies from a repository over ssh');
const absent = missing(SSHD, '/usr/bin/ssh', '/usr/bin/ssh-keygen');

if (absent.length > 0) skip(import.meta.url, `not installed: ${absent.join(', ')}`);
else defineTests();

test.run();

function defineTests(): void {
  const scratch = mkdtempSync(join(tmpdir(), 'authz-git-ssh-test-'));
  const running: Running[] = [];
  let repository: Repository;
  let ssh: SshServer;

  test.before(async () => {
    repository = newRepository();
    repository.commit({ 'policies/document.yaml': documentPolicy('view') });
    ssh = await startSsh();
  });

  test.after(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await ssh.close();
    repository.remove();
    rmSync(scratch, { recursive: true, force: true });
  });

  const serve = (command: string): Running => {
    const sets = 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0';
    const url = `${ssh.url}${repository.folder}#main:policies`;
    const args = ['serve', '--git', url, '--interval', '1s', '--set', sets];
    const server = launch(PROGRAMS.authzc, args, scratch, { GIT_SSH_COMMAND: command });
    running.push(server);
    return server;
  };

  test('a branch is served, and followed', async () => {
    const server = serve(ssh.command);
    const address = /http:\/\/(\S+), gRPC/.exec(await server.firstLine)?.[1] ?? '';
    assert.is(await askRest(address, false), 'EFFECT_ALLOW EFFECT_DENY', server.said());
    repository.commit({ 'policies/document.yaml': documentPolicy('edit') });
    await until(async () => (await askRest(address, false)) === 'EFFECT_DENY EFFECT_ALLOW', 'the new policies');
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
  });

  test('a host whose key is not known is refused, and nobody is asked', async () => {
    const { code, stderr } = await serve(ssh.commandOfStranger).ended;
    assert.is(code, 1);
    assert.match(stderr, 'Host key verification failed');
  });
}
