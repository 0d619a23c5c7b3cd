import { createHash, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArchive } from '../../packages/bundle/index.js';
import { attachSignatures, pushArchive } from '../../server/bundle/oci/artifact.js';
import { openRegistry } from '../../server/bundle/oci/open-registry.js';
import { openOrigin } from '../../server/bundle/open-feed.js';
import type { Fetched, OriginError } from '../../server/bundle/origin.js';
import { readBundle } from '../../server/bundle/read-bundle.js';
import { makeCertificate } from '../support/certificate.js';
import { PROGRAMS, run } from '../support/cli/programs.js';
import { archiveOf, newKey, trustIn } from '../support/sources/archives.js';
import { bundleConfig } from '../support/sources/config.js';
import { type Daemon, missing, REGISTRY, startRegistry } from '../support/sources/daemons.js';
import { skip } from '../support/skip.js';

const test = suite('bundles from a registry');
const absent = missing(REGISTRY);

if (absent.length > 0) skip(import.meta.url, `not installed: ${absent.join(', ')}`);
else defineTests();

test.run();

function defineTests(): void {
  const folder = mkdtempSync(join(tmpdir(), 'authz-registry-'));
  const tokens = startTokenService(folder);
  let open: Daemon;
  let basic: Daemon;
  let token: Daemon;
  const closing: (() => Promise<void>)[] = [];

  test.before(async () => {
    const users = join(folder, 'htpasswd');
    writeFileSync(users, `robot:${await bcrypt.hash('secret', 4)}\n`);
    [open, basic, token] = await Promise.all([
      startRegistry(),
      startRegistry({ htpasswd: { realm: 'registry', path: users } }),
      tokens.then(({ auth }) => startRegistry(auth)),
    ]);
  });

  test.after(async () => {
    for (const close of closing) await close();
    await Promise.all([open, basic, token].map((daemon) => daemon.close()));
    (await tokens).server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  type Keys = { readonly [key: string]: string };
  const plain = { 'oci.plainHttp': 'true' };

  const configOf = ({ port }: Daemon, name: string, keys: Keys = {}) =>
    bundleConfig(`oci://127.0.0.1:${port}/policies/shop${name}`, { ...plain, ...keys });
  const registryOf = (daemon: Daemon, keys: Keys = {}) => {
    const config = configOf(daemon, '', keys);
    if (config.source.kind !== 'oci') throw new Error('not a reference');
    const { registry, client } = openRegistry({ ...config, reference: config.source.reference, actions: 'pull,push' });
    closing.push(() => client.close());
    return registry;
  };
  const push = (daemon: Daemon, tag: string, archive: Uint8Array, keys?: Keys) =>
    pushArchive(registryOf(daemon, keys), { tag, archive, fileName: 'policies.authzbundle', annotations: {} });
  const fetchFrom = async (daemon: Daemon, name: string, keys?: Keys, known?: string): Promise<Fetched> => {
    const origin = await openOrigin(configOf(daemon, name, keys));
    closing.push(() => origin.close());
    return origin.fetch(known, new AbortController().signal);
  };
  const reasonOf = (fetching: Promise<unknown>): Promise<string> =>
    fetching.then(
      () => 'none',
      (error: OriginError) => error.reason,
    );
  const bytesOf = (fetched: Fetched): Uint8Array => {
    if (fetched.kind !== 'fetched') throw new Error(fetched.kind);
    return fetched.bytes;
  };

  test('a tag is resolved again for each request; a digest is pinned', async () => {
    const [one, other] = [await archiveOf('one'), await archiveOf('other')];
    const pushed = await push(open, 'live', one);
    const first = await fetchFrom(open, ':live');
    assert.equal(Buffer.from(bytesOf(first)), Buffer.from(one));
    const version = first.kind === 'fetched' ? first.version : '';
    assert.is(version, pushed.digest);
    assert.is((await fetchFrom(open, ':live', {}, version)).kind, 'unchanged');
    await push(open, 'live', other);
    assert.equal(Buffer.from(bytesOf(await fetchFrom(open, ':live', {}, version))), Buffer.from(other));
    assert.equal(Buffer.from(bytesOf(await fetchFrom(open, `:live@${version}`))), Buffer.from(one));
    assert.is(await reasonOf(fetchFrom(open, ':none')), 'status');
    assert.is(await reasonOf(fetchFrom(open, `@sha256:${'0'.repeat(64)}`)), 'status');
    assert.is(await reasonOf(fetchFrom(open, ':live', { 'poll.maxSize': '100' })), 'too_large');
  });

  test('pushing the same archive twice gives the same digest', async () => {
    const archive = await archiveOf('same');
    assert.equal(await push(open, 'a', archive), await push(open, 'b', archive));
  });

  test('signatures that are attached count beside those of the archive', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const archive = await archiveOf('signed', first);
    const pushed = await push(open, 'signed', archive);
    const trust = trustIn(first, second);
    const read = async () => readBundle(bytesOf(await fetchFrom(open, ':signed')), 'x', trust);
    assert.is(await reasonOf(read()), 'untrusted');
    const { signatureBytes } = readArchive(await archiveOf('signed', second));
    // This registry has no referrers API: the list is under a tag.
    await attachSignatures(registryOf(open), pushed, Buffer.from('{"signatures":"none"}'));
    await attachSignatures(registryOf(open), pushed, signatureBytes as Uint8Array);
    await attachSignatures(registryOf(open), pushed, signatureBytes as Uint8Array);
    assert.equal((await read()).verified?.keys.length, 2);
    const listed = await registryOf(open).manifest(pushed.digest.replace(':', '-'));
    assert.is(JSON.parse(String(listed?.bytes)).manifests.length, 2);
  });

  test('basic authentication, by configuration and by a file of docker', async () => {
    const archive = await archiveOf('basic');
    const keys = { 'credentials.username': 'robot', 'credentials.password': 'secret' };
    assert.is(await reasonOf(push(basic, 'live', archive)), 'credentials');
    await push(basic, 'live', archive, keys);
    assert.is(await reasonOf(fetchFrom(basic, ':live')), 'credentials');
    assert.is(await reasonOf(fetchFrom(basic, ':live', { ...keys, 'credentials.password': 'wrong' })), 'credentials');
    const dockerConfig = join(folder, 'config.json');
    const auth = Buffer.from('robot:secret').toString('base64');
    writeFileSync(dockerConfig, JSON.stringify({ auths: { [`127.0.0.1:${basic.port}`]: { auth } } }));
    const fetched = await fetchFrom(basic, ':live', { 'oci.dockerConfig': dockerConfig });
    assert.equal(Buffer.from(bytesOf(fetched)), Buffer.from(archive));
    writeFileSync(dockerConfig, JSON.stringify({ auths: { 'other.example.com': { auth } } }));
    assert.is(await reasonOf(fetchFrom(basic, ':live', { 'oci.dockerConfig': dockerConfig })), 'credentials');
  });

  test('tokens of a token service', async () => {
    const archive = await archiveOf('token');
    const keys = { 'credentials.username': 'robot', 'credentials.password': 'secret' };
    await push(token, 'live', archive, keys);
    const { asked } = await tokens;
    assert.equal(asked[0], 'repository:policies/shop:pull,push');
    asked.length = 0;
    const origin = await openOrigin(configOf(token, ':live', keys));
    closing.push(() => origin.close());
    const fetched = await origin.fetch(undefined, new AbortController().signal);
    assert.equal(Buffer.from(bytesOf(fetched)), Buffer.from(archive));
    assert.equal(asked, ['repository:policies/shop:pull']);
    assert.is(await reasonOf(fetchFrom(token, ':live')), 'credentials');
    assert.is(await reasonOf(push(token, 'live', archive)), 'credentials');
    const dockerConfig = join(folder, 'identity.json');
    const auths = { [`127.0.0.1:${token.port}`]: { identitytoken: 'refresh' } };
    writeFileSync(dockerConfig, JSON.stringify({ auths }));
    assert.is((await fetchFrom(token, ':live', { 'oci.dockerConfig': dockerConfig })).kind, 'fetched');
  });

  test('push, attach and pull by commands', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const [one, both, pulled] = ['one', 'both', 'pulled'].map((name) => join(folder, `${name}.authzbundle`)) as [
      string,
      string,
      string,
    ];
    writeFileSync(one, await archiveOf('commands', first));
    writeFileSync(both, await archiveOf('commands', first, second));
    const reference = `oci://127.0.0.1:${basic.port}/policies/shop`;
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'secret\n');
    const auth = ['--plain-http', '--username', 'robot', '--password-file', passwordFile];
    const bundle = (...args: readonly string[]) => run(PROGRAMS.authzc, ['bundle', ...args], folder);
    const pushed = await bundle('push', `${reference}:commands`, one, ...auth);
    assert.is(pushed.stderr, '');
    assert.match(pushed.stdout, /:commands@sha256:[0-9a-f]{64}\n$/);
    assert.is((await bundle('attach', `${reference}:commands`, both, ...auth)).code, 0);
    assert.is((await bundle('pull', pushed.stdout.trim(), pulled, ...auth)).code, 0);
    assert.is((await readBundle(readFileSync(pulled), 'x', trustIn(first, second))).verified?.keys.length, 2);
    writeFileSync(both, await archiveOf('others', first));
    assert.match((await bundle('attach', `${reference}:commands`, both, ...auth)).stderr, 'it is not the archive');
    const refused = await bundle('pull', `${reference}:commands`, pulled, '--plain-http');
    assert.is(refused.code, 1);
    assert.match(refused.stderr, `${reference}:commands: answered with status 401`);
  });

  test('a registry that lies is not believed', async () => {
    const archive = await archiveOf('truth');
    const pushed = await push(open, 'truth', archive);
    const lies: readonly (readonly [string, (url: string, body: Buffer) => Buffer | undefined])[] = [
      ['digest', (url, body) => (url.includes('/blobs/') ? flipped(body) : undefined)],
      ['digest', (url, body) => (url.includes('/blobs/') ? body.subarray(1) : undefined)],
      ['too_large', (url, body) => (url.includes('/blobs/') ? Buffer.concat([body, body]) : undefined)],
      ['digest', (url, body) => (url.includes('/manifests/') ? Buffer.from(`${body.toString()} `) : undefined)],
      ['digest', (url) => (url.includes('/manifests/') ? Buffer.from('garbage') : undefined)],
    ];
    for (const [reason, lie] of lies) {
      const liar = await startLiar(open.port, lie);
      for (const name of [':truth', `@${pushed.digest}`])
        assert.is(await reasonOf(fetchFrom({ ...open, port: liar.port }, name)), reason);
      await liar.close();
    }
  });

  test('a registry with the referrers API', async () => {
    const key = await newKey();
    const archive = await archiveOf('listed');
    const pushed = await push(open, 'listed', archive);
    const { signatureBytes } = readArchive(await archiveOf('listed', key));
    const referring = await attachSignatures(registryOf(open), pushed, signatureBytes as Uint8Array);
    const asked: string[] = [];
    const front = await startLiar(open.port, (url) => {
      asked.push(url);
      if (!url.includes('/referrers/')) return undefined;
      return Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [referring] }));
    });
    const fetched = await fetchFrom({ ...open, port: front.port }, ':listed');
    assert.equal((await readBundle(bytesOf(fetched), 'x', trustIn(key))).verified?.keys.length, 1);
    assert.ok(asked.some((url) => url.includes(`/referrers/${pushed.digest}?artifactType=`)));
    await front.close();
  });
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[0] = (copy[0] as number) ^ 1;
  return copy;
}

/** A registry in front of another one, which replaces bodies. */
async function startLiar(
  target: number,
  replaced: (url: string, body: Buffer) => Buffer | undefined,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer(async ({ method = 'GET', url = '', headers }, response) => {
    const { host: _, connection: _c, ...others } = headers as { [name: string]: string };
    const real = await fetch(`http://127.0.0.1:${target}${url}`, { method, headers: others });
    const body = Buffer.from(await real.arrayBuffer());
    const other = method === 'GET' ? replaced(url, body) : undefined;
    const kept = ['content-type', 'docker-content-digest'].flatMap((name) => {
      const value = real.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const isList = url.includes('/referrers/') && other !== undefined;
    response.writeHead(isList ? 200 : real.status, {
      ...Object.fromEntries(kept),
      ...(isList && { 'content-type': 'application/vnd.oci.image.index.v1+json' }),
    });
    response.end(other ?? body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

interface TokenService {
  readonly server: Server;
  /** The section of the configuration of a registry. */
  readonly auth: object;
  /** The scopes that were asked for. */
  readonly asked: string[];
}

/** Issues tokens for the user `robot`, and for a refresh token; without, some that allow nothing. */
async function startTokenService(folder: string): Promise<TokenService> {
  const certificate = makeCertificate('issuer');
  const roots = join(folder, 'issuer.pem');
  writeFileSync(roots, certificate.cert);
  const x5c = [certificate.cert.replace(/-----[A-Z ]+-----|\s/g, '')];
  const asked: string[] = [];
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenFor = (scope: string): string => {
    const [type = '', name = '', actions = ''] = scope.split(':');
    const now = Math.floor(Date.now() / 1000);
    const access = scope === '' ? [] : [{ type, name, actions: actions.split(',') }];
    const claims = { iss: 'issuer', sub: 'robot', aud: 'registry', exp: now + 300, nbf: now - 10, iat: now };
    const jti = createHash('sha256').update(`${scope}${now}`).digest('hex');
    const signed = `${part({ typ: 'JWT', alg: 'ES256', x5c })}.${part({ ...claims, jti, access })}`;
    const signature = sign('sha256', Buffer.from(signed), { key: certificate.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const parameters = request.method === 'POST' ? body : new URL(request.url ?? '', 'http://localhost').search;
    const { scope = '', refresh_token: refresh } = Object.fromEntries(new URLSearchParams(parameters));
    asked.push(scope);
    const basic = `Basic ${Buffer.from('robot:secret').toString('base64')}`;
    const isKnown = request.headers.authorization === basic || refresh === 'refresh';
    const token = tokenFor(isKnown ? scope : '');
    response.end(JSON.stringify(refresh === undefined ? { token } : { access_token: token }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const realm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  return { server, asked, auth: { token: { realm, service: 'registry', issuer: 'issuer', rootcertbundle: roots } } };
}
