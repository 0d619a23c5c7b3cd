import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeySetConfig } from '../config/key-sets.js';
import { fetchKeys, RemoteKeySet, type RemoteTimes } from './remote-key-set.js';
import type { KeySetEvent } from './key-source.js';
import { formatEvent, createVerifier } from './verify.js';
import { LAST_RESORT, succeedOnce, until } from '../../tests/support/timeout.js';

const test = suite('remote keysets');
const secret = Buffer.from('0123456789abcdef0123456789abcdef');
const keys = (...kids: readonly string[]): string =>
  JSON.stringify({ keys: kids.map((kid) => ({ kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid })) });
const token = (kid: string): Promise<string> =>
  new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answer: Answer = () => undefined;
let asked = 0;
let server: Server;
let url = '';
const closers: { close: () => void }[] = [];
test.before(async () => {
  server = createServer((request, response) => {
    asked += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
});
test.before.each(() => {
  asked = 0;
});
test.after.each(() => {
  for (const one of closers.splice(0)) one.close();
});
test.after(() => {
  server.closeAllConnections();
  server.close();
});

function config(
  at = url,
  options: Partial<KeySetConfig> = {},
): KeySetConfig & { readonly source: { readonly kind: 'remote' } } {
  return {
    id: 'r',
    source: { kind: 'remote', url: at, refreshInterval: undefined, pem: false },
    optionalAlg: false,
    optionalKid: false,
    place: 'c.yaml:1:1',
    ...options,
  } as never;
}

function remote(times: RemoteTimes = {}, at = url): { readonly set: RemoteKeySet; readonly events: KeySetEvent[] } {
  const events: KeySetEvent[] = [];
  const configured = config(at);
  const set = new RemoteKeySet(configured, configured.source as never, (event) => events.push(event), times);
  closers.push(set);
  return { set, events };
}

/** However busy the machine is, the local server answers in this time. */
const UNHURRIED: RemoteTimes = { patience: LAST_RESORT, timeout: LAST_RESORT };

const kids = (keySet: Awaited<ReturnType<RemoteKeySet['current']>>): readonly unknown[] | undefined =>
  keySet?.keys.map(({ jwk }) => jwk.kid);

test('a token that arrives during the first fetch waits for the keys', async () => {
  answer = (_request, response) => setTimeout(() => response.end(keys('k1')), 30);
  // A token waits for two seconds, which may pass on a busy machine.
  await succeedOnce(5, async () => {
    const verify = createVerifier({ keySets: [config()], disableVerification: false, acceptableTimeSkew: 0 });
    closers.push(verify);
    assert.equal((await verify({ jwt: { token: await token('k1'), keySetId: '' }, jwts: new Map() })).jwt, { a: 1 });
  });
});

test('an unreachable JWKS server does not prevent the start: its tokens are rejected, and others are not', async () => {
  const events: KeySetEvent[] = [];
  const reasons: string[] = [];
  const local: KeySetConfig = {
    ...config(),
    id: 'l',
    source: { kind: 'data', base64: Buffer.from(keys('k1')).toString('base64'), pem: false },
  };
  const verify = createVerifier(
    { keySets: [config('http://127.0.0.1:1/'), local], disableVerification: false, acceptableTimeSkew: 0 },
    { onRefused: (reason) => reasons.push(reason), onKeySet: (event) => events.push(event) },
  );
  closers.push(verify);
  const ask = async (keySetId: string): Promise<unknown> =>
    verify({ jwt: { token: await token('k1'), keySetId }, jwts: new Map() }).catch((error: Error) => error.message);
  assert.is(await ask('r'), 'keyset `r` is unavailable');
  assert.equal(await ask('l'), { jwt: { a: 1 }, jwts: {} });
  assert.equal(reasons, ['keyset `r` is unavailable']);
  assert.is(events.length, 1);
  assert.match(
    formatEvent(events[0] as KeySetEvent),
    /^keyset `r` was not fetched: http:\/\/127\.0\.0\.1:1\/: cannot be reached.*; tokens for it are rejected$/,
  );
});

test('a request does not wait until a hanging JWKS server times out', async () => {
  answer = () => undefined;
  const { set, events } = remote({ timeout: 3_600_000, patience: 20 });
  assert.is(await set.current(), undefined);
  assert.equal(events, []);
});

test('a hanging JWKS server times out', async () => {
  answer = () => undefined;
  const { events } = remote({ timeout: 150 });
  await until(() => events.length > 0, 'an event');
  assert.match(formatEvent(events[0] as KeySetEvent), 'no complete response in 150 ms');
});

test('a response with an endless body times out', async () => {
  answer = (_request, response) => response.write('{');
  const { events } = remote({ timeout: 100 });
  await until(() => events.length > 0, 'an event');
  assert.match(formatEvent(events[0] as KeySetEvent), 'no complete response in 100 ms');
});

test('failed fetches are retried with backoff, and the last good keys stay valid', async () => {
  answer = (_request, response) => response.end(keys('k1'));
  const { set, events } = remote({ ...UNHURRIED, firstRetry: 20, unaskedPause: 0 });
  assert.equal(kids(await set.current()), ['k1']);
  for (const bad of ['no keys', '{"keys":[]}', '{"keys":[{"kty":"RSA"}]}', keys('k1').replace('"alg"', '"gla"')]) {
    answer = (_request, response) => response.end(bad);
    const before = events.length;
    await set.newer();
    assert.is(events.length, before + 1, bad);
    assert.equal(kids(await set.current()), ['k1'], bad);
  }
  answer = (_request, response) => {
    response.statusCode = 503;
    response.end();
  };
  await set.newer();
  assert.match(formatEvent(events.at(-1) as KeySetEvent), 'answered with status 503; still using the last good keys');
  answer = (_request, response) => response.end(keys('k2'));
  await until(() => events.at(-1)?.kind === 'fetched', 'new keys');
  assert.equal(kids(await set.current()), ['k2']);
});

test('an unknown key triggers one fetch, and then none for a while', async () => {
  answer = (_request, response) => response.end(keys('k1'));
  let now = 1000;
  const { set } = remote({ ...UNHURRIED, unaskedPause: 200, now: () => now });
  await set.current();
  now += 199;
  assert.is(set.newer(), undefined);
  now += 1;
  answer = (_request, response) => response.end(keys('k1', 'k2'));
  const [first, second] = await Promise.all([set.newer(), set.newer()]);
  assert.equal(kids(first), ['k1', 'k2']);
  assert.equal(kids(second), ['k1', 'k2']);
  assert.is(asked, 2);
  assert.is(set.newer(), undefined);
});

test('keys are fetched again as the response or the configuration says', async () => {
  const fresh = async (headers: { readonly [name: string]: string }): Promise<number> => {
    answer = (_request, response) => response.writeHead(200, headers).end(keys('k'));
    return (await fetchKeys(url)).freshFor;
  };
  assert.is(await fresh({}), 3_600_000);
  assert.is(await fresh({ 'cache-control': 'public, max-age=600' }), 600_000);
  assert.is(
    await fresh({ 'cache-control': 'max-age=600', age: '100', expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }),
    500_000,
  );
  assert.is(await fresh({ 'cache-control': 'max-age=0' }), 30_000);
  assert.is(await fresh({ 'cache-control': 'no-store' }), 30_000);
  assert.is(await fresh({ 'cache-control': 'max-age=9999999999' }), 86_400_000);
  assert.is(
    await fresh({ date: 'Thu, 01 Jan 2026 00:00:00 GMT', expires: 'Thu, 01 Jan 2026 02:00:00 GMT' }),
    7_200_000,
  );
  assert.is(await fresh({ expires: '0' }), 30_000);
  answer = (_request, response) => response.end(keys('k'));
  const configured = config();
  const set = new RemoteKeySet(
    configured,
    { ...(configured.source as object), refreshInterval: 20 } as never,
    () => undefined,
  );
  closers.push(set);
  await until(() => asked >= 8 + 3, 'more requests');
});

test('redirects are followed only to the same scheme, up to a limit', async () => {
  const problem = (): Promise<string> =>
    fetchKeys(url).then(
      () => '',
      (error: Error) => error.message,
    );
  answer = (request, response) =>
    request.url === '/other' ? response.end('there') : response.writeHead(302, { location: '/other' }).end();
  assert.is((await fetchKeys(url)).text, 'there');
  for (const location of ['https://127.0.0.1/', 'file:///etc/passwd', 'data:,x']) {
    answer = (_request, response) => response.writeHead(302, { location }).end();
    assert.is(await problem(), 'redirected to another scheme');
  }
  answer = (_request, response) => response.writeHead(302, { location: '/keys' }).end();
  assert.is(await problem(), 'redirected too often');
});

test('an endless response is not read to its end', async () => {
  answer = (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 32)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  assert.match(
    await fetchKeys(url).then(
      () => '',
      (error: Error) => error.message,
    ),
    'sent more than 1048576 bytes',
  );
});

test('credentials of the URL are sent only to its origin, and never logged', async () => {
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end(keys('k'));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  closers.push({ close: () => other.close() });
  const secretUrl = `${url.replace('http://', 'http://user:p%40ss@')}?token=hidden`;
  answer = (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(302, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` }).end();
  };
  await fetchKeys(secretUrl);
  assert.equal(seen, [`Basic ${Buffer.from('user:p@ss').toString('base64')}`, undefined]);
  answer = (_request, response) => response.writeHead(500).end();
  const { events } = remote({}, secretUrl);
  await until(() => events.length > 0, 'an event');
  const told = formatEvent(events[0] as KeySetEvent);
  assert.match(told, '127.0.0.1');
  for (const word of ['user', 'p%40ss', 'p@ss', 'hidden']) assert.not.match(told, word);
});

test('the reason of a rejected token is logged without any part of the token', async () => {
  const reasons: string[] = [];
  const local: KeySetConfig = {
    ...config(),
    id: 'l',
    source: { kind: 'data', base64: Buffer.from(keys('k1')).toString('base64'), pem: false },
  };
  const verify = createVerifier(
    { keySets: [local], disableVerification: false, acceptableTimeSkew: 0 },
    { onRefused: (reason) => reasons.push(reason) },
  );
  const sign = (claims: object, kid = 'k1'): Promise<string> =>
    new SignJWT(claims as never).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
  const now = Math.floor(Date.now() / 1000);
  const payload = async (text: string): Promise<string> => {
    const { CompactSign } = await import('jose');
    return new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret);
  };
  const refused = async (text: string, keySetId = ''): Promise<void> => {
    await verify({ jwt: { token: text, keySetId }, jwts: new Map() }).then(
      () => assert.unreachable(),
      () => undefined,
    );
  };
  await refused(await sign({ exp: 1 }));
  await refused(await sign({ nbf: now + 100 }));
  await refused(await sign({ iat: now + 100 }));
  await refused(await sign({}), 'other');
  await refused(await sign({}, 'k9'));
  await refused('hunter2');
  await refused('hunter2.hunter2.hunter2');
  await refused(await payload('hunter2'));
  await refused(await payload('"hunter2"'));
  assert.equal(reasons, [
    'token expired',
    'token not yet valid',
    'token issued in the future',
    'the token is for an unknown keyset',
    'the token is signed by an unknown key',
    'the token cannot be parsed',
    'the token cannot be parsed',
    'claims are not JSON',
    'claims are not an object',
  ]);
});

test('four tokens of a request are verified at a time', async () => {
  answer = (_request, response) => response.end(keys('k1'));
  const verify = createVerifier({ keySets: [config()], disableVerification: false, acceptableTimeSkew: 0 });
  closers.push(verify);
  const one = { token: await token('k1'), keySetId: '' };
  const names = Array.from({ length: 11 }, (_value, index) => `t${index}`);
  const { jwts } = await verify({ jwt: undefined, jwts: new Map(names.map((name) => [name, one])) });
  assert.equal(Object.keys(jwts), names);
  await verify({ jwt: undefined, jwts: new Map([['__proto__', one]]) }).then((verified) =>
    assert.equal(Object.keys(verified.jwts), ['__proto__']),
  );
});

test.run();
