import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpClient } from '../../outgoing/http-client.js';
import type { OriginError } from '../origin.js';
import { OciRegistry, type RegistryCredentials } from './registry.js';

const test = suite('credentials of a registry');

const BLOB = Buffer.from('bundle');
const DIGEST = `sha256:${createHash('sha256').update(BLOB).digest('hex')}`;
const DESCRIPTOR = { mediaType: 'application/octet-stream', digest: DIGEST, size: BLOB.length };
const BASIC: RegistryCredentials = { kind: 'basic', username: 'robot', password: 'canary' };
const ALL: readonly RegistryCredentials[] = [
  BASIC,
  { kind: 'bearer', token: 'canary' },
  { kind: 'refresh', token: 'canary' },
];
const servers: Server[] = [];
const clients: HttpClient[] = [];

test.after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  for (const server of servers) server.close();
});

/** What another origin may ask for. */
const CHALLENGES = ['Basic realm="x"', 'Bearer realm="SELF/token",service="x"', 'Bearer realm="https://127.0.0.1:1/"'];

test('a challenge of an origin that a redirect leads to is not answered, whatever the credentials', async () => {
  for (const credentials of ALL) {
    for (const challenge of CHALLENGES) {
      const seen: string[] = [];
      const other = await listen((request, response) => {
        void readText(request).then((text) => seen.push(text));
        response.writeHead(401, { 'www-authenticate': challenge.replace('SELF', other) }).end();
      });
      const own = await listen((_, response) => response.writeHead(307, { location: `${other}/blob` }).end());
      assert.is(await findReason(registryAt(own, credentials).blob(DESCRIPTOR)), 'credentials');
      assert.is(seen.length, 1, challenge);
      assert.not.match(seen.join(''), /canary|cm9ib3q6y2fuyxj5/);
    }
  }
});

test('what the registry was told is not told to an origin that a redirect leads to', async () => {
  const seen: string[] = [];
  const other = await listen((request, response) => {
    void readText(request).then((text) => seen.push(text));
    response.end(BLOB);
  });
  const own = await listen(({ headers }, response) => {
    if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else response.writeHead(307, { location: `${other}/blob` }).end();
  });
  assert.equal(await registryAt(own, BASIC).blob(DESCRIPTOR), BLOB);
  assert.is(seen.length, 1);
  assert.not.match(seen.join(''), 'authorization');
});

/** The realm that a registry without TLS names, and whether it sees credentials. */
const REALMS: readonly (readonly [string, string])[] = [
  ['http://192.0.2.1/token', 'credentials'],
  ['http://registry.example.com/token', 'credentials'],
  ['ftp://127.0.0.1/token', 'credentials'],
  ['https://127.0.0.1:1/token', 'unreachable'],
  ['http://127.0.0.1:1/token', 'unreachable'],
  ['token', 'protocol'],
];

test('a token service has TLS, or is on this machine', async () => {
  for (const [realm, reason] of REALMS) {
    const own = await listen((_, response) =>
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}"` }).end(),
    );
    assert.is(await findReason(registryAt(own, BASIC).blob(DESCRIPTOR)), reason, realm);
  }
});

test('a redirect of a token service is not followed', async () => {
  const seen: string[] = [];
  const other = await listen((request, response) => {
    void readText(request).then((text) => seen.push(text));
    response.end(JSON.stringify({ token: 'x' }));
  });
  const service = await listen((_, response) => response.writeHead(302, { location: other }).end());
  const own = await listen((_, response) =>
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${service}"` }).end(),
  );
  for (const credentials of [BASIC, ALL[2] as RegistryCredentials])
    assert.is(await findReason(registryAt(own, credentials).blob(DESCRIPTOR)), 'credentials');
  assert.equal(seen, []);
});

test.run();

function registryAt(url: string, credentials: RegistryCredentials): OciRegistry {
  const client = new HttpClient({
    origin: url,
    limits: { connect: 500, idle: 500, whole: 2000, maxSize: 100_000 },
    tls: { ca: undefined, cert: undefined, key: undefined },
    proxy: { url: '', exceptions: [] },
  });
  clients.push(client);
  const common = { repository: 'policies/shop', actions: 'pull', client } as const;
  return new OciRegistry({ ...common, url: new URL(url), credentials: async () => credentials });
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All that a server is told. */
async function readText(request: IncomingMessage): Promise<string> {
  const chunks = await request.toArray();
  return [request.url, ...request.rawHeaders, Buffer.concat(chunks).toString()].join('\n').toLowerCase();
}

async function findReason(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: OriginError) => error.reason,
  );
}
