import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GitOrigin } from '../../packages/cli/git/git-origin.js';
import { checkOutRemote, findCommit } from '../../packages/cli/git/remote.js';
import { parseRemote } from '../../packages/cli/git/remote-folder.js';
import { documentPolicy } from '../support/cli/policies.js';
import { launch, PROGRAMS, type Running } from '../support/cli/programs.js';
import { newRepository, type Repository } from '../support/git-repository.js';
import { askRest } from '../support/workers/load.js';
import { LAST_RESORT, until } from '../support/timeout.js';

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
    const written = `${repository.folder}#${ref}:services`;
    assert.is(
      (await findCommit(parseRemote(written), { folder: scratch, environment: process.env, signal: noSignal() })).id,
      commit,
      ref,
    );
    const to = join(scratch, 'out');
    await checkOutNow(written, to);
    assert.equal(readdirSync(join(to, 'policies')), ['document.yaml']);
    rmSync(to, { recursive: true });
  }
  const none = parseRemote(`${repository.folder}#none`);
  await assertRejects(
    findCommit(none, { folder: scratch, environment: process.env, signal: noSignal() }),
    'no branch or tag `none`',
  );
});

test('a branch is followed, whatever other refs have its name, and what was found is fetched', async () => {
  const own = newRepository();
  try {
    own.commit({ 'a.yaml': 'branch' });
    const branch = own.git('rev-parse', 'HEAD');
    own.commit({ 'a.yaml': 'attack' });
    const attack = own.git('rev-parse', 'HEAD');
    own.git('reset', '--quiet', '--hard', branch);
    const names = [
      'refs/tags/main',
      'refs/tags/heads/main',
      'refs/tags/refs/heads/main',
      'refs/heads/x/main',
      'refs/main',
    ];
    for (const name of [...names, 'refs/heads/refs/heads/main', 'refs/notes/refs/heads/main'])
      own.git('update-ref', name, attack);
    own.git('tag', '--annotate', '--message=x', 'annotated', attack);
    const idOf = async (ref: string): Promise<string> =>
      (
        await findCommit(parseRemote(`${own.folder}#${ref}`), {
          folder: scratch,
          environment: process.env,
          signal: noSignal(),
        })
      ).id;
    for (const ref of ['main', 'HEAD', 'refs/heads/main']) assert.is(await idOf(ref), branch, ref);
    for (const ref of ['refs/tags/main', 'annotated', 'refs/tags/annotated', attack])
      assert.is(await idOf(ref), attack, ref);
    const to = join(scratch, 'branch');
    await checkOutNow(`${own.folder}#main`, to);
    assert.is(readFileSync(join(to, 'a.yaml'), 'utf8'), 'branch');
    // The ref moves after it was looked up.
    own.git('update-ref', 'refs/heads/main', attack);
    const later = join(scratch, 'later');
    await checkOutRemote(parseRemote(`${own.folder}#main`), branch, later, limitsOf());
    assert.is(readFileSync(join(later, 'a.yaml'), 'utf8'), 'branch');
  } finally {
    own.remove();
  }
});

test('a tag does not take the place of a branch that is deleted', async () => {
  const own = newRepository();
  const origin = await GitOrigin.open({
    remote: parseRemote(`${own.folder}#release`),
    limits: { timeout: LAST_RESORT, maxSize: 1e8 },
    environment: process.env,
    bundlerOf: (folder) => async () => readFileSync(join(folder, 'a.yaml'), 'utf8'),
  });
  try {
    own.commit({ 'a.yaml': 'branch' });
    own.git('branch', 'release');
    const fetched = await origin.fetch(undefined, noSignal());
    assert.is(fetched.kind === 'fetched' && Buffer.from(fetched.bytes).toString(), 'branch');
    own.commit({ 'a.yaml': 'attack' });
    own.git('tag', 'release', 'main');
    assert.is((await origin.fetch(fetched.kind === 'fetched' ? fetched.version : '', noSignal())).kind, 'unchanged');
    own.git('branch', '--delete', '--force', 'release');
    await assertRejects(origin.fetch(undefined, noSignal()), 'no branch or tag `refs/heads/release`');
  } finally {
    await origin.close();
    own.remove();
  }
});

test('a repository of a few objects that has any number of files costs no memory', async () => {
  const own = newRepository();
  try {
    const blob = own.git('hash-object', '-w', '--no-filters', '/dev/null');
    let entry = `100644 blob ${blob}\t`;
    for (let depth = 0; depth < 7; depth++) {
      const names = Array.from({ length: 12 }, (_, index) => `${index}.yaml`);
      const tree = execFileSync('git', ['mktree'], {
        cwd: own.folder,
        input: names.map((name) => `${entry}${name}\n`).join(''),
        encoding: 'utf8',
      }).trim();
      entry = `040000 tree ${tree}\t`;
    }
    const tree = entry.split(/[ \t]/)[2] as string;
    own.git('update-ref', 'refs/heads/bomb', own.git('commit-tree', '-m', 'x', tree));
    const before = process.memoryUsage().rss;
    await assertRejects(checkOutNow(`${own.folder}#bomb`, join(scratch, 'bomb')), 'has more than');
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 200e6, `${grown} bytes`);
  } finally {
    own.remove();
  }
});

test('what could be an option, another protocol or another folder is refused', () => {
  const wrong = [
    '--upload-pack=touch x',
    '-x#main',
    'ext::sh -c touch% x',
    'ssh://-oProxyCommand=x/y',
    'ssh://-oProxyCommand=x@host/y',
    'ssh://git@-oProxyCommand=x/y',
    'ssh://git:secret@example.com/y',
    'ssh://example.com/-x',
    'ssh://example.com',
    'ssh://git@exa%20mple.com/y',
    'http://example.com/a',
    'http://10.0.0.1/a',
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
    await checkOutNow(`${repository.folder}#main:services`, to);
    assert.not.ok(existsSync(witness));
    symlinkSync('/etc/passwd', join(repository.folder, 'services/link.yaml'));
    repository.commit();
    const links = checkOutNow(`${repository.folder}#main:services`, join(scratch, 'links'));
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
    const large = checkOutNow(big.folder, join(scratch, 'big'), { maxSize: 1_000_000 });
    await assertRejects(large, 'has more than 1000000 bytes');
    // Compresses well.
    big.commit({ 'noise.bin': '', 'a.yaml': 'x'.repeat(600_000), 'b.yaml': 'y'.repeat(600_000) });
    const inflated = checkOutNow(big.folder, join(scratch, 'inflated'), { maxSize: 1_000_000 });
    await assertRejects(inflated, 'have more than 1000000 bytes');
    assert.equal(readdirSync(join(scratch, 'inflated')), []);
    rmdirSync(join(scratch, 'inflated'));
    const stalled = createServer(() => undefined);
    await new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(stalled.address() as AddressInfo).port}/x.git`;
    const slow = checkOutNow(url, join(scratch, 'slow'), { signal: AbortSignal.timeout(300) });
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

interface Limits {
  readonly maxSize: number;
  readonly signal: AbortSignal;
}

function limitsOf({ maxSize = 1e8, signal = noSignal() }: Partial<Limits> = {}): Parameters<typeof checkOutRemote>[3] {
  return { scratch, environment: process.env, maxSize, signal };
}

/** Checks out what a ref names now. */
async function checkOutNow(written: string, to: string, changes: Partial<Limits> = {}): Promise<void> {
  const remote = parseRemote(written);
  const limits = limitsOf(changes);
  const { id } = await findCommit(remote, { folder: scratch, environment: process.env, signal: limits.signal });
  await checkOutRemote(remote, id, to, limits);
}

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
