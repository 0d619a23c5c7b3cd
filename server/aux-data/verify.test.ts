import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuxData } from '../../proto/gen/messages.js';
import { ConfigError } from '../config/config-error.js';
import type { KeySetConfig } from '../config/key-sets.js';
import { createVerifier } from './verify.js';

const test = suite('token verification');
const now = Math.floor(Date.now() / 1000);

const keySet = (
  id: string,
  material: string,
  options: Partial<KeySetConfig> & { pem?: boolean } = {},
): KeySetConfig => ({
  id,
  source: { kind: 'data', base64: Buffer.from(material).toString('base64'), pem: options.pem ?? false },
  optionalAlg: options.optionalAlg ?? false,
  optionalKid: options.optionalKid ?? false,
  plainHttp: false,
  place: 'c.yaml:1:1',
});
const verifier = (keySets: readonly KeySetConfig[], skew = 0, disableVerification = false) =>
  createVerifier({ keySets, disableVerification, acceptableTimeSkew: skew * 1000 }, { onKeySet: () => undefined });
const one = (token: string, keySetId = ''): AuxData => ({ jwt: { token, keySetId }, jwts: new Map() });
const secret = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
const oct: JWK = { kty: 'oct', k: Buffer.from(secret).toString('base64url'), alg: 'HS256', kid: 'k1' };
const octSet = keySet('oct', JSON.stringify({ keys: [oct] }));
const sign = (claims: object, header: object = { alg: 'HS256', kid: 'k1' }) =>
  new SignJWT(claims as never).setProtectedHeader(header as never).sign(secret);

async function refused(verify: ReturnType<typeof verifier>, auxData: AuxData): Promise<boolean> {
  return verify(auxData).then(
    () => false,
    () => true,
  );
}

test('every algorithm verifies with a matching JWK, including private ones', async () => {
  for (const alg of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), alg, kid: 'k' };
    const token = await new SignJWT({ a: 1 }).setProtectedHeader({ alg, kid: 'k' }).sign(privateKey);
    const { jwt } = await verifier([keySet('s', JSON.stringify(jwk))])(one(token));
    assert.equal(jwt, { a: 1 }, alg);
  }
});

test('claims have the form that conditions use', async () => {
  const token = await sign({
    exp: now + 100_000,
    iat: 1_700_000_000.7,
    nbf: 0,
    aud: 'api',
    auth_time: 1_700_000_000,
    none: null,
    deep: { a: [null] },
    sub: 's',
  });
  const { jwt, jwts } = await verifier([octSet])(one(`  ${token}\n`));
  assert.equal(jwt, {
    exp: new Date((now + 100_000) * 1000).toISOString().replace('.000Z', 'Z'),
    iat: '2023-11-14T22:13:20Z',
    nbf: '1970-01-01T00:00:00Z',
    aud: ['api'],
    auth_time: 1_700_000_000,
    deep: { a: [null] },
    sub: 's',
  });
  assert.equal(jwts, {});
});

test('named tokens have their claims under that name, and one invalid token fails the request', async () => {
  const token = await sign({ a: 1 });
  const verify = verifier([octSet]);
  const named = (entries: readonly (readonly [string, string])[]): AuxData => ({
    jwt: undefined,
    jwts: new Map(entries.map(([name, value]) => [name, { token: value, keySetId: '' }])),
  });
  assert.equal(
    await verify(
      named([
        ['x', token],
        ['y', token],
      ]),
    ),
    { jwt: {}, jwts: { x: { claims: { a: 1 } }, y: { claims: { a: 1 } } } },
  );
  assert.ok(
    await refused(
      verify,
      named([
        ['x', token],
        ['y', 'bad'],
      ]),
    ),
  );
});

test('timestamps are compared with the clock, within the skew', async () => {
  // Of this very test: a file's tests may begin long after it was loaded.
  const now = Math.floor(Date.now() / 1000);
  const cases: readonly (readonly [object, number, boolean])[] = [
    [{ exp: now - 1 }, 0, true],
    [{ exp: now }, 0, true],
    [{ exp: now + 60 }, 0, false],
    [{ exp: now - 3 }, 30, false],
    [{ exp: now - 60 }, 30, true],
    [{ nbf: now + 60 }, 0, true],
    [{ nbf: now + 10 }, 30, false],
    [{ iat: now + 60 }, 0, true],
    [{ iat: now + 10 }, 30, false],
  ];
  for (const [claims, skew, bad] of cases)
    assert.is(await refused(verifier([octSet], skew), one(await sign(claims))), bad, JSON.stringify([claims, skew]));
});

test('claims of a wrong type invalidate the token', async () => {
  for (const claims of [
    { sub: 1 },
    { iss: [] },
    { jti: {} },
    { aud: 1 },
    { aud: ['a', 1] },
    { exp: '2100' },
    { nbf: {} },
    { iat: 1e300 },
  ]) {
    assert.ok(await refused(verifier([octSet]), one(await sign(claims))), JSON.stringify(claims));
  }
});

test('the token must name its key, and its algorithm must match the key', async () => {
  const verify = verifier([octSet]);
  assert.ok(await refused(verify, one(await sign({}, { alg: 'HS256' }))));
  assert.ok(await refused(verify, one(await sign({}, { alg: 'HS256', kid: 'other' }))));
  assert.ok(await refused(verify, one(await sign({}, { alg: 'HS512', kid: 'k1' }))));
  assert.ok(await refused(verify, one(`${(await sign({})).slice(0, -3)}abc`)));
  assert.ok(await refused(verify, one(`Bearer ${await sign({})}`)));
  const none = `${Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`;
  assert.ok(await refused(verify, one(none)));
  assert.ok(
    await refused(verify, one(await sign({}, { alg: 'HS256', kid: 'k1', crit: ['x'], x: 1 }).catch(() => 'x'))),
  );
});

test('a public key is never used as a secret', async () => {
  const { publicKey } = await generateKeyPair('RS256', { extractable: true });
  const pem = await exportSPKI(publicKey);
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', kid: 'k' })
    .sign(new TextEncoder().encode(pem));
  assert.ok(
    await refused(verifier([keySet('s', pem, { pem: true, optionalAlg: true, optionalKid: true })]), one(token)),
  );
});

test('PEM keys, public or private, need both insecure switches and accept the algorithms of their type', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS512', { extractable: true });
  const other = await generateKeyPair('ES256', { extractable: true });
  const pem = `${await exportSPKI(other.publicKey)}\n${await exportSPKI(publicKey)}`;
  const token = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'RS512', kid: 'whatever' }).sign(privateKey);
  const loose = { pem: true, optionalAlg: true, optionalKid: true };
  assert.equal((await verifier([keySet('s', pem, loose)])(one(token))).jwt, { a: 1 });
  assert.equal((await verifier([keySet('s', await exportPKCS8(privateKey), loose)])(one(token))).jwt, { a: 1 });
  for (const tight of [{ pem: true }, { pem: true, optionalAlg: true }, { pem: true, optionalKid: true }]) {
    assert.ok(await refused(verifier([keySet('s', pem, tight)]), one(token)));
  }
});

test('the keyset is the named one, or the only one', async () => {
  const token = await sign({});
  const second = keySet('second', JSON.stringify({ ...oct, kid: 'k2' }));
  assert.not(await refused(verifier([octSet, second]), one(token, 'oct')));
  assert.ok(await refused(verifier([octSet, second]), one(token)));
  assert.ok(await refused(verifier([octSet]), one(token, 'nope')));
  assert.ok(await refused(verifier([]), one(token)));
});

test('unusable keys fail the start', () => {
  for (const [material, pem] of [
    ['x', false],
    ['[]', false],
    ['{"keys":[]}', false],
    ['{"keys":[{"kty":"RSA","alg":"RS256","kid":"k","e":"AQAB"}]}', false],
    ['{"kty":"oct","alg":"HS256","kid":"k"}', false],
    ['x', true],
  ] as const) {
    assert.throws(
      () => verifier([keySet('s', material, { pem, optionalAlg: pem, optionalKid: pem })]),
      (error: Error) => error instanceof ConfigError && error.message.startsWith('c.yaml:1:1: keyset `s` '),
      material,
    );
  }
  assert.throws(
    () =>
      createVerifier({
        keySets: [{ ...octSet, source: { kind: 'file', path: '/none', pem: false } }],
        disableVerification: false,
        acceptableTimeSkew: 0,
      }),
    'file not found',
  );
});

test('without verification only format, types and times are checked', async () => {
  const verify = verifier([], 0, true);
  const token = (claims: object): string =>
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  assert.equal((await verify(one(token({ a: 1 }), 'any'))).jwt, { a: 1 });
  assert.ok(await refused(verify, one(token({ exp: 1 }))));
  assert.ok(await refused(verify, one(token({ sub: 1 }))));
  assert.ok(await refused(verify, one('{"a":1}')));
});

test.run();
