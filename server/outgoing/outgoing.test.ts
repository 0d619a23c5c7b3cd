import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchKeys } from '../aux-data/remote-key-set.js';
import { S3Client } from '../s3/s3-client.js';
import { httpSource } from '../tenants/http-source.js';
import { firstHop, nextHop, RedirectError } from './redirects.js';

const test = suite('requests to other servers');

test('credentials belong to scheme, host and port, and do not come back', () => {
  const first = firstHop(new URL('http://a.example.com/x?y'));
  const same = nextHop(first, '/z');
  assert.ok(same.isOwn);
  for (const other of [
    'http://b.example.com/',
    'http://a.example.com:81/',
    '//a.example.com./',
    'http://A.example.com@b/',
  ]) {
    const away = nextHop(same, other);
    assert.not.ok(away.isOwn, other);
    assert.not.ok(nextHop(away, 'http://a.example.com/z').isOwn, other);
  }
  assert.ok(nextHop(same, 'http://x:y@A.example.com:80/#z').isOwn);
  assert.is(nextHop(same, 'http://x:y@A.example.com:80/#z').url.href, 'http://a.example.com/');
  const local = firstHop(new URL('http://127.0.0.1:1/'));
  assert.throws(() => nextHop(local, 'http://a.example.com/'), 'another machine without TLS');
  for (const wrong of ['https://a.example.com/', 'data:,', 'http://'])
    assert.throws(
      () => nextHop(first, wrong),
      (error: Error) => error instanceof RedirectError,
    );
});

/** In milliseconds: none of them waits so long. */
const PATIENCE = 60_000;

/** What asks a server with credentials, at a URL with the user `reader`. */
const READERS: readonly (readonly [string, (url: string) => Promise<unknown>])[] = [
  ['keysets', (url) => fetchKeys(url)],
  [
    'tenants over HTTP',
    (url) =>
      httpSource({ url: `${url}{tenant}`, tokenFile: undefined, timeout: PATIENCE }).fetch(
        't',
        '',
        AbortSignal.timeout(PATIENCE),
      ),
  ],
  [
    'S3',
    (url) => {
      const endpoint = new URL(url).origin;
      const where = { endpoint, region: 'us-east-1', bucket: 'b', pathStyle: true };
      const client = new S3Client({
        ...where,
        credentials: { file: undefined, profile: undefined },
        timeout: PATIENCE,
      });
      return client.get('key', { maxBytes: 100 });
    },
  ],
];

for (const [what, read] of READERS) {
  test(`${what}: no redirect takes credentials to another origin and back`, async () => {
    const seen: (string | undefined)[] = [];
    const other = await listen((path) => ({ location: `${own.url}/back${path}` }));
    const own: Listening = await listen((path, authorization) => {
      seen.push(authorization);
      return path.includes('back') ? undefined : { location: `${other.url}/there` };
    });
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'canary' };
    Object.assign(process.env, keys);
    try {
      await read(`${own.url.replace('//', '//reader:canary@')}/`).catch(() => undefined);
    } finally {
      for (const key of Object.keys(keys)) delete process.env[key];
      for (const { server } of [own, other]) {
        server.closeAllConnections();
        server.close();
      }
    }
    assert.ok(seen[0] !== undefined);
    assert.equal(
      [...seen.slice(1), ...other.seen].filter((authorization) => authorization !== undefined),
      [],
    );
  });
}

for (const [what, read] of READERS) {
  test(`${what}: the proxy of the environment is used`, async () => {
    const asked: string[] = [];
    const proxy = await listen((path) => void asked.push(path));
    const variables = { HTTP_PROXY: proxy.url, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    Object.assign(process.env, variables);
    try {
      await read('http://there.invalid/').catch(() => undefined);
    } finally {
      for (const key of Object.keys(variables)) delete process.env[key];
      proxy.server.closeAllConnections();
      proxy.server.close();
    }
    assert.is(asked.length, 1);
    assert.match(asked[0] as string, /^http:\/\/there\.invalid\//);
  });
}

test.run();

interface Listening {
  readonly url: string;
  readonly server: Server;
  readonly seen: (string | undefined)[];
}

async function listen(
  answer: (path: string, authorization: string | undefined) => { readonly location: string } | undefined,
): Promise<Listening> {
  const seen: (string | undefined)[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    seen.push(headers.authorization);
    const headersOf = answer(url, headers.authorization);
    response.writeHead(headersOf === undefined ? 200 : 307, headersOf ?? {}).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}
