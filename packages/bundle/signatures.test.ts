import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newKey, type TestKey } from '../../tests/support/archives/keys.js';
import { withSignatures } from './archive.js';
import { canonicalJson } from './canonical-json.js';
import {
  type Accepted,
  type ArchiveError,
  type Manifest,
  readArchive,
  readPublicKeys,
  readSigningKey,
  signArchive,
  type Trust,
  verifyArchive,
  writeArchive,
} from './index.js';

const NOW = Date.parse('2031-01-01T00:00:00Z');
const DAY = 86_400_000;

function archive(manifest: Partial<Manifest> = {}): Uint8Array {
  return writeArchive({
    js: 'export {};\n',
    manifest: { hash: 'h', compiler: '0.1.0', engine: '~0.1.0', ...manifest },
  });
}

async function verdict(bytes: Uint8Array, keys: readonly TestKey[], more: Partial<Trust> = {}, accepted?: Accepted) {
  const trust: Trust = { keys: () => keys.map((key) => key.public), required: 1, clockSkew: 60_000, ...more };
  return verifyArchive(readArchive(bytes), trust, NOW, accepted).then(
    ({ keys: signed }) => signed.length,
    ({ reason }: ArchiveError) => reason,
  );
}

const [one, two, three] = await Promise.all([newKey('ed25519'), newKey('P-256'), newKey('P-384')]);

test('each type of key signs and verifies', async () => {
  for (const key of [one, two, three]) {
    const signed = await signArchive(archive(), key.signing, NOW);
    assert.is(await verdict(signed, [key]), 1, key.signing.algorithm);
    assert.is(await verdict(signed, [one, two, three]), 1);
    for (const other of [one, two, three]) if (other !== key) assert.is(await verdict(signed, [other]), 'untrusted');
  }
});

test('signing does not change what was signed, and again replaces the signature of the key', async () => {
  const unsigned = archive();
  const signed = await signArchive(unsigned, one.signing, NOW);
  const again = await signArchive(signed, one.signing, NOW + 5000);
  assert.is(readArchive(signed).digest, readArchive(unsigned).digest);
  assert.is(JSON.parse(String(readArchive(again).signatureBytes)).signatures.length, 1);
  assert.is(await verdict(again, [one]), 1);
});

test('m of n keys must have signed, and a key counts once', async () => {
  const once = await signArchive(archive(), one.signing, NOW);
  const twice = await signArchive(once, two.signing, NOW);
  assert.is(await verdict(once, [one, two, three], { required: 2 }), 'untrusted');
  assert.is(await verdict(twice, [one, two, three], { required: 2 }), 2);
  assert.is(await verdict(twice, [one, two, three], { required: 3 }), 'untrusted');

  // The same key under two names of a JWK set signs under both.
  const jwk = one.public.key.export({ format: 'jwk' });
  const keys = await readPublicKeys(
    JSON.stringify({
      keys: [
        { ...jwk, kid: 'a' },
        { ...jwk, kid: 'b' },
      ],
    }),
  );
  const named = await jws(archive(), one, { alg: 'EdDSA', kid: 'a' }, { alg: 'EdDSA', kid: 'b' });
  const trust: Trust = { keys: () => keys, required: 2, clockSkew: 0 };
  const { reason } = (await verifyArchive(readArchive(named), trust, NOW).catch((error) => error)) as ArchiveError;
  assert.is(reason, 'untrusted');
  assert.equal((await verifyArchive(readArchive(named), { ...trust, required: 1 }, NOW)).keys, [one.public.id]);
});

test('a signature of another manifest, and a damaged one, does not count', async () => {
  const other = readArchive(await signArchive(archive({ sequence: 2 }), one.signing, NOW)).signatureBytes as Uint8Array;
  assert.is(await verdict(withSignatures(archive(), other), [one]), 'signature_invalid');
  assert.is(await verdict(archive(), [one]), 'unsigned');
  const signed = await signArchive(archive(), one.signing, NOW);
  const text = String(readArchive(signed).signatureBytes);
  assert.is(await verdict(withSignatures(archive(), Buffer.from(`${text} `)), [one]), 'signature_invalid');
  assert.is(await verdict(withSignatures(archive(), Buffer.from('{"signatures":[]}')), [one]), 'untrusted');
});

/** An archive with signatures whose headers somebody else has chosen. */
async function jws(bytes: Uint8Array, { privateKey }: TestKey, ...headers: readonly object[]): Promise<Uint8Array> {
  return signedBy(bytes, headers, (input, alg) =>
    alg === 'EdDSA'
      ? sign(null, input, privateKey)
      : sign(HASHES[alg], input, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  );
}

const HASHES: { readonly [alg: string]: string } = { ES256: 'sha256', ES384: 'sha384' };

function signedBy(
  bytes: Uint8Array,
  headers: readonly object[],
  make: (input: Buffer, alg: string) => Buffer,
): Uint8Array {
  const payload = Buffer.from(readArchive(bytes).manifestBytes).toString('base64url');
  const signatures = headers.map((header) => {
    const written = Buffer.from(JSON.stringify({ typ: 'authz-bundle', ...header })).toString('base64url');
    const { alg } = header as { readonly alg: string };
    return { protected: written, signature: make(Buffer.from(`${written}.${payload}`), alg).toString('base64url') };
  });
  return withSignatures(bytes, Buffer.from(canonicalJson({ signatures })));
}

test('the algorithm is that of the key, and headers have no other fields', async () => {
  const kid = two.public.id;
  const tries: readonly (readonly [header: object, expected: string | number])[] = [
    [{ alg: 'ES256', kid }, 1],
    [{ alg: 'ES384', kid }, 'signature_invalid'],
    [{ alg: 'ES256', kid, typ: 'JWT' }, 'untrusted'],
    [{ alg: 'ES256', kid, crit: ['exp'], exp: 1 }, 'untrusted'],
    [{ alg: 'ES256', kid, b64: true, crit: ['b64'] }, 'untrusted'],
    [{ alg: 'ES256', kid, jwk: two.public.key.export({ format: 'jwk' }) }, 'untrusted'],
    [{ alg: 'ES256' }, 'untrusted'],
    [{ alg: 'ES256', kid: three.public.id }, 'signature_invalid'],
  ];
  for (const [header, expected] of tries)
    assert.is(await verdict(await jws(archive(), two, header), [two, three]), expected, JSON.stringify(header));

  const hmac = (alg: string, secret: string | Buffer) =>
    signedBy(archive(), [{ alg, kid }], (input) => createHmac('sha256', secret).update(input).digest());
  const der = two.public.key.export({ type: 'spki', format: 'der' });
  for (const secret of [two.publicPem, two.publicPem.trim(), der, kid])
    assert.is(await verdict(hmac('HS256', secret), [two]), 'signature_invalid');
  for (const alg of ['none', 'NONE', ''])
    assert.is(
      await verdict(
        signedBy(archive(), [{ alg, kid }], () => Buffer.alloc(0)),
        [two],
      ),
      'signature_invalid',
    );
  // Zeros once passed for a signature by any key.
  assert.is(
    await verdict(
      signedBy(archive(), [{ alg: 'ES256', kid }], () => Buffer.alloc(64)),
      [two],
    ),
    'signature_invalid',
  );
});

test('keys of other types, private keys and damaged ones are refused', async () => {
  const refused = async (text: string): Promise<string> =>
    readPublicKeys(text).then(
      () => 'was read',
      (error: Error) => error.message,
    );
  const pem = (type: string, options: object = {}): string => {
    const { publicKey } = generateKeyPairSync(type as 'ec', options as never) as unknown as {
      readonly publicKey: { export(options: object): string };
    };
    return publicKey.export({ type: 'spki', format: 'pem' });
  };
  assert.match(await refused(pem('rsa', { modulusLength: 2048 })), 'type `RSA`; it must be Ed25519, P-256 or P-384');
  assert.match(await refused(pem('ec', { namedCurve: 'P-521' })), 'type `EC P-521`');
  assert.match(await refused(pem('ec', { namedCurve: 'secp256k1' })), 'type `EC secp256k1`');
  assert.match(await refused(pem('x25519')), 'type `OKP X25519`');
  assert.match(await refused(one.privatePem), 'contains a private key');
  assert.match(await refused(JSON.stringify(one.privateKey.export({ format: 'jwk' }))), 'contains a private key');
  assert.match(await refused('{"kty":"oct","k":"c2VjcmV0"}'), 'type `oct`');
  assert.match(await refused('{"keys":[{"kty":"toString"}]}'), 'type `toString`');
  const jwk = two.public.key.export({ format: 'jwk' });
  assert.match(await refused(JSON.stringify({ ...jwk, alg: 'HS256' })), 'a key for `HS256`');
  assert.match(await refused(JSON.stringify({ ...jwk, use: 'enc' })), 'not for signatures');
  assert.match(await refused(JSON.stringify({ ...jwk, x: jwk.y })), 'cannot be used');
  for (const text of [
    '',
    'hello',
    '{}',
    '{"keys":[]}',
    '{"keys":[null]}',
    '{',
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
  ])
    assert.is.not(await refused(text), 'was read', text);
  await readSigningKey(one.publicPem).then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.match(message, 'not an unencrypted private key'),
  );
});

test('an archive is refused outside of its time, apart from clock skew', async () => {
  const at = (time: number): string => new Date(time).toISOString();
  const tries: readonly (readonly [manifest: Partial<Manifest>, expected: string | number])[] = [
    [{ notAfter: at(NOW - 60_000) }, 1],
    [{ notAfter: at(NOW - 60_001) }, 'expired'],
    [{ notBefore: at(NOW + 60_000) }, 1],
    [{ notBefore: at(NOW + 60_001) }, 'not_yet_valid'],
  ];
  for (const [manifest, expected] of tries)
    assert.is(await verdict(await signArchive(archive(manifest), one.signing, NOW), [one]), expected);
});

test('old signatures do not count, nor those of the future', async () => {
  const signed = (time: number) => signArchive(archive(), one.signing, time);
  assert.is(await verdict(await signed(NOW - DAY), [one], { maxAge: DAY }), 1);
  assert.is(await verdict(await signed(NOW - DAY - 61_000), [one], { maxAge: DAY }), 'signature_expired');
  assert.is(await verdict(await signed(NOW + 61_000), [one], { maxAge: DAY }), 'signature_expired');
  assert.is(
    await verdict(await jws(archive(), one, { alg: 'EdDSA', kid: one.public.id }), [one], { maxAge: DAY }),
    'signature_expired',
  );
  // The second of the newest ages first.
  const both = await signArchive(await signed(NOW - DAY / 2), two.signing, NOW);
  const trust: Trust = { keys: () => [one.public, two.public], required: 2, maxAge: DAY, clockSkew: 0 };
  assert.is((await verifyArchive(readArchive(both), trust, NOW)).expires, NOW + DAY / 2);
  assert.is((await verifyArchive(readArchive(both), { ...trust, required: 1 }, NOW)).expires, NOW + DAY);
});

test('the sequence never decreases', async () => {
  const signed = async (sequence?: number, builder = '') =>
    signArchive(archive({ ...(sequence !== undefined && { sequence }), builder }), one.signing, NOW);
  const five = await signed(5);
  const accepted = { sequence: 5, digest: readArchive(five).digest };
  assert.is(await verdict(five, [one], {}, accepted), 1);
  assert.is(await verdict(await signed(6), [one], {}, accepted), 1);
  assert.is(await verdict(await signed(4), [one], {}, accepted), 'replayed');
  assert.is(await verdict(await signed(5, 'other'), [one], {}, accepted), 'sequence_conflict');
  assert.is(await verdict(await signed(), [one], {}, accepted), 'sequence_missing');
  assert.is(await verdict(await signed(), [one], { requireSequence: true }), 'sequence_missing');
  assert.is(await verdict(await signed(), [one]), 1);
});

test.run();
