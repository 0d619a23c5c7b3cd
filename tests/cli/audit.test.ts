import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAdminTarget } from '../../packages/cli/audit/target.js';
import { entriesRequest, listEntries } from '../../packages/cli/audit/list-entries.js';
import { makeCertificate } from '../support/certificate.js';
import { CHECK, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf, launch, PROGRAMS, type Running, stop } from '../support/cli/programs.js';
import { until } from '../support/timeout.js';

const test = suite('authzc audit');
const authority = makeCertificate('authority');
const leaf = makeCertificate('localhost', authority);
const otherAuthority = makeCertificate('other authority');
const servers: Running[] = [];
let folder = '';
let plain = '';
let secure = '';
let bare = '';
let local = '';

test.before(async () => {
  folder = folderOf({
    'policies/document.yaml': documentPolicy('view'),
    'config.yaml': config('plain', ''),
    'unix.yaml': config('unix', '').replace('grpcListenAddr: 127.0.0.1:0', 'grpcListenAddr: unix:authz.sock'),
    'tls.yaml': config('secure', '  tls: {cert: leaf.pem, key: leaf.key, caCert: authority.pem}\n'),
    'authority.pem': authority.cert,
    'leaf.pem': leaf.cert,
    'leaf.key': leaf.key,
    'other-authority.pem': otherAuthority.cert,
  });
  const http = serve('--config', 'config.yaml');
  const https = serve('--config', 'tls.yaml');
  const unix = serve('--config', 'unix.yaml');
  const none = serve('--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0');
  plain = grpcOf(await http.firstLine);
  secure = grpcOf(await https.firstLine);
  bare = grpcOf(await none.firstLine);
  await unix.firstLine;
  local = `unix:${join(folder, 'authz.sock')}`;
  const web = /http:\/\/[^,\s]+/.exec(await http.firstLine)?.[0] ?? '';
  for (const id of ['d1', 'evil\u001b[2J\u009b2J\u202e']) {
    const body = JSON.stringify({ ...CHECK, resources: [{ resource: { kind: 'document', id }, actions: ['view'] }] });
    await (
      await fetch(`${web}/api/check/resources`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    ).text();
  }
  await entriesAre(2);
});
test.after(async () => {
  await Promise.all(servers.map((server) => stop(server)));
  rmSync(folder, { recursive: true, force: true });
});

test('entries are printed under their call ids, as JSON', async () => {
  const { code, stdout, stderr } = await audit(['--tail=1']);
  assert.is(stderr, '');
  assert.is(code, 0);
  const [callId = '', ...lines] = stdout.trimEnd().split('\n');
  const entry = JSON.parse(lines.join('\n'));
  assert.is(entry.callId, callId);
  assert.is(entry.method, '/authz.svc.v1.AuthzService/CheckResources');
});

test('--raw prints one entry of the requested kind per line, with unescaped values', async () => {
  const { stdout } = await audit(['--kind', 'decision', '--raw']);
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    entries.map(({ checkResources }) => checkResources.inputs[0].resource.id),
    ['evil\u001b[2J\u009b2J\u202e', 'd1'],
  );
  assert.is(entries[0].checkResources.outputs[0].actions.view.effect, 'EFFECT_ALLOW');
});

test('control characters from callers never reach the terminal', async () => {
  for (const options of [['--raw'], []]) {
    const { stdout } = await audit(['--kind=decision', ...options]);
    assert.match(stdout, 'evil');
    assert.not.match(stdout, /[^\P{C}\n]/u);
  }
});

test('entries are found by call, by time, and by age', async () => {
  const [first] = await raw(['--since', '1h']);
  assert.equal(await raw(['--lookup', String(first?.['callId'])]), [first]);
  assert.is((await raw(['--between', '2020-01-01T00:00:00Z'])).length, 2);
  assert.is((await raw(['--between', `2020-01-01T00:00:00Z,${String(first?.['timestamp'])}`])).length, 1);
  assert.is((await raw(['--between', '2020-01-01T00:00:00+02:00,2020-01-02T00:00:00Z'])).length, 0);
});

test('the server and the user can be set by environment variables', async () => {
  const { code, stdout } = await start(['--plaintext', '--raw'], {
    AUTHZ_SERVER: plain,
    AUTHZ_USERNAME: 'admin',
    AUTHZ_PASSWORD: 'open sesame',
  });
  assert.is(code, 0);
  assert.is(stdout.trimEnd().split('\n').length, 2);
});

test('TLS: the server is verified with a CA, gets a client certificate when it requires one, or is not verified with --insecure', async () => {
  const ask = (...options: readonly string[]): Promise<Ended> => start(['--server', secure, ...USER, ...options]);
  assert.is((await ask('--ca-cert', 'authority.pem')).code, 0);
  assert.is((await ask('--ca-cert', 'authority.pem', '--client-cert', 'leaf.pem', '--client-key', 'leaf.key')).code, 0);
  assert.is((await ask('--insecure')).code, 0);
  const untrusted = await ask('--ca-cert', 'other-authority.pem');
  assert.is(untrusted.code, 1);
  assert.match(
    untrusted.stderr,
    /^authzc: the server cannot be reached: self-signed certificate in certificate chain\n$/,
  );
  assert.is((await ask('--plaintext')).code, 1);
  const missing = await ask('--ca-cert', 'nowhere.pem');
  assert.is(missing.code, 1);
  assert.match(missing.stderr, 'nowhere.pem');
});

test('a server is reached over a Unix socket', async () => {
  const { code, stdout, stderr } = await start(['--server', local, '--plaintext', '--raw', ...USER]);
  assert.equal([code, stdout, stderr], [0, '', '']);
});

test('a server that refuses, has no admin API or is unreachable ends with status 1 and one line', async () => {
  const wrong = await start(['--server', plain, '--plaintext', '--username=admin', '--password=no']);
  assert.is(wrong.code, 1);
  assert.match(wrong.stderr, /^authzc: the server responded: .*code 16\)\n$/);
  const none = await start(['--server', bare, '--plaintext', ...USER]);
  assert.is(none.code, 1);
  assert.match(none.stderr, /^authzc: the server responded: .*admin API.*\n$/);
  const gone = await start(['--server', '127.0.0.1:1', '--plaintext', ...USER]);
  assert.is(gone.code, 1);
  assert.is(gone.stderr, 'authzc: the server cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n');
  const named = await start(['--server', 'localhost:1', '--plaintext', ...USER]);
  assert.match(named.stderr, /^authzc: the server cannot be reached: .*connect ECONNREFUSED 127\.0\.0\.1:1\n$/);
  const absent = await start(['--server', `unix:${join(folder, 'nowhere.sock')}`, '--plaintext', ...USER]);
  assert.match(absent.stderr, /^authzc: the server cannot be reached: connect ENOENT .*\n$/);
});

test('a server that accepts connections and never responds times out', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const security of [{ plaintext: true }, { insecure: true }]) {
    const target = makeAdminTarget({
      server: `127.0.0.1:${port}`,
      username: 'admin',
      password: 'open sesame',
      ...security,
    });
    const [reason] = await Promise.allSettled([all(listEntries(target, entriesRequest({ kind: 'access' }, 0), 300))]);
    assert.match(String(reason?.status === 'rejected' && reason.reason), 'no answer in 300 ms');
  }
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test('invalid arguments end with status 2 before any request is sent', async () => {
  const senseless: readonly (readonly string[])[] = [
    ['--tail=3', '--since=1h'],
    ['--lookup=x', '--between=2020-01-01T00:00:00Z'],
    ['--tail=0'],
    ['--tail=1001'],
    ['--tail=ten'],
    ['--since=yesterday'],
    ['--since=-3h'],
    ['--since=0s'],
    ['--between=yesterday'],
    ['--between=2020-01-01T00:00:00Z,'],
    ['--between=2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z'],
    ['--lookup=abc'],
    ['--kind=both'],
    ['--insecure'],
    ['--ca-cert=authority.pem'],
    ['--server=localhost'],
    ['--username='],
    ['--password='],
    ['--username=a:b'],
  ];
  for (const options of senseless)
    assert.is(
      (await start(['--server', '127.0.0.1:1', '--plaintext', ...USER, ...options])).code,
      2,
      options.join(' '),
    );
  assert.is((await start(['--server', '127.0.0.1:1', ...USER, '--client-cert', 'leaf.pem'])).code, 2);
  assert.is((await start(['--server', '127.0.0.1:1', ...USER, '--insecure', '--ca-cert', 'authority.pem'])).code, 2);
  assert.is((await start(['--server', '127.0.0.1:1', '--plaintext'])).code, 2);
});

async function all<T>(entries: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

const USER = ['--username', 'admin', '--password', 'open sesame'];

function config(name: string, tls: string): string {
  const passwordHash = Buffer.from(hashSync('open sesame', 4)).toString('base64');
  return `server:
  httpListenAddr: 127.0.0.1:0
  grpcListenAddr: 127.0.0.1:0
${tls}  adminAPI: {enabled: true, adminCredentials: {username: admin, passwordHash: ${JSON.stringify(passwordHash)}}}
audit: {enabled: true, backend: local, local: {storagePath: ${JSON.stringify(join('audit', name))}}}
`;
}

function serve(...options: readonly string[]): Running {
  const server = launch(PROGRAMS.authzc, ['serve', 'policies', ...options], folder);
  servers.push(server);
  return server;
}

function grpcOf(line: string): string {
  return /gRPC on (?:\w+:\/\/)?(\S+)/.exec(line)?.[1] ?? '';
}

function audit(options: readonly string[]): Promise<Ended> {
  return start(['--server', plain, '--plaintext', ...USER, ...options]);
}

async function raw(options: readonly string[]): Promise<readonly { readonly [field: string]: unknown }[]> {
  const { stdout } = await audit(['--raw', ...options]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Entries are written after the responses, so it may take a moment until all are there. */
function entriesAre(count: number): Promise<void> {
  return until(
    async () => (await raw([])).length === count && (await raw(['--kind=decision'])).length === count,
    `${count} entries of each kind`,
    100,
  );
}

function start(options: readonly string[], variables: { readonly [name: string]: string } = {}): Promise<Ended> {
  const unset = { AUTHZ_SERVER: undefined, AUTHZ_USERNAME: undefined, AUTHZ_PASSWORD: undefined };
  return callAuthzc(['audit', ...options], folder, { ...unset, ...variables });
}

test.run();
