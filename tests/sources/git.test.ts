import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkOutRemote, parseRemote, remoteCommit } from '../../cli/git/remote.js';
import { documentPolicy } from '../support/cli/policies.js';
import { launch, PROGRAMS, type Running } from '../support/cli/programs.js';
import { newRepository, type Repository } from '../support/git-repository.js';
import { askRest } from '../support/workers/load.js';
import { until } from '../support/workers/server.js';

const test = suite('policies from a repository');

const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';
const scratch = mkdtempSync(join(tmpdir(), 'authz-git-test-'));
const running: Running[] = [];
let repository: Repository;
let http: HttpServer;

test.before(async () => {
  repository = newRepository();
  repository.commit({ 'services/policies/document.yaml': documentPolicy('view'), 'README.md': 'x' });
  repository.git('config', 'http.receivepack', 'false');
  http = await serveHttp(repository.folder);
});

test.after(() => {
  for (const { child } of running) child.kill('SIGKILL');
  http.close();
  http.closeAllConnections();
  repository.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const httpUrl = (): string => `http://reader:secret@127.0.0.1:${(http.address() as AddressInfo).port}/.git`;
const noSignal = (): AbortSignal => new AbortController().signal;

for (const carrier of ['file', 'http'] as const) {
  test(`serve --git over ${carrier} compiles when the commit changes, and survives what does not compile`, async () => {
    repository.commit({ 'services/policies/document.yaml': documentPolicy('view') });
    const url = carrier === 'file' ? `file://${repository.folder}` : httpUrl();
    const server = launch(
      PROGRAMS.authzc,
      ['serve', '--git', `${url}#main:services/policies`, '--interval', '1s', '--set', LOOPBACK],
      scratch,
    );
    running.push(server);
    const address = /http:\/\/(\S+), gRPC/.exec(await server.firstLine)?.[1] ?? '';
    assert.is(await askRest(address, false), VIEW);
    repository.commit({ 'services/policies/document.yaml': 'resourcePolicy: [' });
    await until(() => server.said().includes('still serving the last good one'), 'a refused commit');
    const printed = server.said().length;
    assert.is(await askRest(address, false), VIEW);
    repository.commit({ 'services/policies/document.yaml': documentPolicy('edit') });
    await until(async () => (await askRest(address, false)) === EDIT, 'the new policies');
    assert.is(server.said().length, printed);
    assert.not.match(server.said() + server.printed(), 'secret');
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
  });
}

test('a repository that is away at the start is an error without credentials', async () => {
  const url = `http://reader:secret@127.0.0.1:1/none.git#main`;
  const server = launch(PROGRAMS.authzc, ['serve', '--git', url, '--set', LOOPBACK], scratch);
  const { code, stderr } = await server.ended;
  assert.is(code, 1);
  assert.match(stderr, 'git: ');
  assert.not.match(stderr, 'secret');
});

test('branches, tags and commits', async () => {
  repository.commit({ 'services/policies/document.yaml': documentPolicy('view') });
  const commit = repository.git('rev-parse', 'HEAD');
  repository.git('tag', '--annotate', '--message=x', 'v1');
  repository.git('branch', 'release/1');
  repository.commit({ 'services/policies/other.yaml': documentPolicy('edit') });
  for (const ref of ['v1', 'release/1', 'refs/heads/release/1', commit]) {
    const remote = parseRemote(`${repository.folder}#${ref}:services`);
    assert.is(await remoteCommit(remote, { folder: scratch, signal: noSignal() }), commit, ref);
    const to = join(scratch, 'out');
    const limits = { signal: noSignal(), scratch, maxSize: 1e8 };
    assert.is(await checkOutRemote(remote, to, limits), commit);
    assert.equal(readdirSync(join(to, 'policies')), ['document.yaml']);
    rmSync(to, { recursive: true });
  }
  const none = parseRemote(`${repository.folder}#none`);
  await assertRejects(remoteCommit(none, { folder: scratch, signal: noSignal() }), 'no branch or tag `none`');
});

test('what could be an option, another protocol or another folder is refused', () => {
  const wrong = [
    '--upload-pack=touch x',
    '-x#main',
    'ext::sh -c touch% x',
    'ssh://-oProxyCommand=x/y',
    'git@example.com:a/b',
    '../other',
    'https://example.com/a#--upload-pack=x',
    'https://example.com/a#main..other',
    'https://example.com/a#a b',
    'https://example.com/a#a:../b',
    'https://example.com/a#a:/etc',
    'https://example.com/a#a:-x',
    'https://example.com/a#+a',
    'https://example.com/a#:refs/heads/x/./y',
  ];
  for (const written of wrong) assert.throws(() => parseRemote(written), undefined, written);
  const remote = parseRemote('https://user:secret@example.com/a.git#v1:b/c');
  assert.is(remote.name, 'https://example.com/a.git#v1:b/c');
});

test('nothing of the repository or of the user runs, and links are refused', async () => {
  const witness = join(scratch, 'witness');
  const hooks = join(scratch, 'hooks');
  execFileSync('mkdir', ['-p', hooks]);
  for (const name of ['post-checkout', 'reference-transaction', 'post-merge'])
    writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
  const config = join(scratch, 'gitconfig');
  writeFileSync(config, `[core]\n  hooksPath = ${hooks}\n`);
  process.env['GIT_CONFIG_GLOBAL'] = config;
  try {
    const to = join(scratch, 'safe');
    const limits = { signal: noSignal(), scratch, maxSize: 1e8 };
    await checkOutRemote(parseRemote(`${repository.folder}#main:services`), to, limits);
    assert.not.ok(existsSync(witness));
    symlinkSync('/etc/passwd', join(repository.folder, 'services/link.yaml'));
    repository.commit();
    const links = checkOutRemote(parseRemote(`${repository.folder}#main:services`), join(scratch, 'links'), limits);
    await assertRejects(links, 'is a symbolic link');
  } finally {
    delete process.env['GIT_CONFIG_GLOBAL'];
    rmSync(join(repository.folder, 'services/link.yaml'));
    repository.commit();
  }
});

test('size and time are bounded, and nothing is left behind', async () => {
  const big = newRepository();
  try {
    // Does not compress.
    const noise = Buffer.from(Array.from({ length: 3_000_000 }, () => Math.floor(Math.random() * 256)));
    big.commit({ 'noise.bin': noise, 'a.yaml': 'x' });
    const before = readdirSync(scratch).length;
    const limits = { scratch, maxSize: 1_000_000 };
    const large = checkOutRemote(parseRemote(big.folder), join(scratch, 'big'), { ...limits, signal: noSignal() });
    await assertRejects(large, 'has more than 1000000 bytes');
    // Compresses well.
    big.commit({ 'noise.bin': '', 'a.yaml': 'x'.repeat(600_000), 'b.yaml': 'y'.repeat(600_000) });
    const inflated = checkOutRemote(parseRemote(big.folder), join(scratch, 'inflated'), {
      ...limits,
      signal: noSignal(),
    });
    await assertRejects(inflated, 'have more than 1000000 bytes');
    assert.equal(readdirSync(join(scratch, 'inflated')), []);
    rmdirSync(join(scratch, 'inflated'));
    const stalled = createServer(() => undefined);
    await new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(stalled.address() as AddressInfo).port}/x.git`;
    const slow = checkOutRemote(parseRemote(url), join(scratch, 'slow'), {
      ...limits,
      signal: AbortSignal.timeout(300),
    });
    await assertRejects(slow, 'abort');
    stalled.close();
    stalled.closeAllConnections();
    assert.is(readdirSync(scratch).length, before);
  } finally {
    big.remove();
  }
});

test.run();

const LOOPBACK = 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0';

async function assertRejects(promise: Promise<unknown>, expected: string): Promise<void> {
  const message = await promise.then(
    () => 'resolved',
    (error: Error) => error.message,
  );
  assert.ok(message.includes(expected), message);
}

/** The repository over HTTP, by git's own server, for one user. */
async function serveHttp(folder: string): Promise<HttpServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const basic = `Basic ${Buffer.from('reader:secret').toString('base64')}`;
    if (request.headers.authorization !== basic) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const child = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: searchParams.toString(),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      const headers = output
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(': '));
      const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
      response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
      response.end(output.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
