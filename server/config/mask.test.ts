import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assertLinear } from '../../tests/support/growth.js';
import { isSecretName, maskText, maskUrl } from './mask.js';

const URLS: readonly (readonly [string, string])[] = [
  ['https://user:canary@host/path?token=canary', 'https://host/path?***'],
  ['https://canary@host:8443/', 'https://host:8443/'],
  ['https://host/{tenant}.json?canary', 'https://host/{tenant}.json?***'],
  ['https://host/x#access_token=canary', 'https://host/x#***'],
  ['https://host/x.git#main:policies', 'https://host/x.git#main:policies'],
  ['postgresql://user:canary@host/db?password=canary&sslmode=verify-full', 'postgresql://host/db?***'],
  ['postgresql://user:can/ary@host/db', 'postgresql://host/db'],
  ['postgresql://user:can?ary@host/db', 'postgresql://host/db'],
  ['postgresql://user:can#ary@host/db', 'postgresql://host/db'],
  ['postgresql://user:can@ary@host/db', 'postgresql://host/db'],
  ['postgresql://user:canary@one:1,two:2/db?canary', 'postgresql://one:1,two:2/db?***'],
  ['http://user:can%40ary@[::1]:1/?canary', 'http://[::1]:1/?***'],
  ['nats://canary@host', 'nats://host'],
  ['oci://registry.example.com/shop:live@sha256:00', 'oci://registry.example.com/shop:live@sha256:00'],
  ['https://Example.com:443/@scope/x', 'https://Example.com:443/@scope/x'],
  ['/var/lib/authz', '/var/lib/authz'],
];

test('URLs keep everything but user, password and query', () => {
  for (const [written, expected] of URLS) {
    assert.is(maskUrl(written), expected);
    assert.is(maskText(`cannot read \`${written}\`: ENOENT`), `cannot read \`${expected}\`: ENOENT`);
    assert.not.match(maskText(`"${written}", '${written}' (${written}) ${written}`), /canary|can.ary/);
  }
});

test('secrets in texts are recognized by their names and forms', () => {
  const secret = 'canary-0123456789';
  for (const text of [
    `host=db password=${secret} user=x`,
    `host=db PASSWORD='my ${secret}' user=x`,
    `PGPASSWORD=${secret}`.replace('PG', 'PG_'),
    `bundle.credentials.token=${secret}`,
    `AWS_SECRET_ACCESS_KEY=${secret}`,
    `x-api-key=${secret},other=1`,
    `{"password":"${secret}","a":1}`,
    `{"client_secret": "a\\"${secret}"}`,
    `authorization: Bearer ${secret}`,
    `Basic ${secret}==`,
    `eyJhbGciOiJub25lIn0.${secret}.`,
    `a broker at user:${secret}@host:9092 refused`,
    `user:${secret}@[::1]:9092`,
    `user:${secret}@:9092`,
    `user:${secret}@`,
    `clientSecret=${secret}`,
    `AccountKey=${secret};EndpointSuffix=x`,
    `https://host/p;sig=${secret}/x`,
    `{"refreshToken":"${secret}"}`,
    JSON.stringify(`{"password":"${secret}"}`),
    `authorization: Digest username="${secret}", response="${secret}"`,
    `bundle:\n  credentials:\n    password: ${secret}\n`,
    `cookie: a=b; session=${secret}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n${secret}`,
  ])
    assert.not.match(maskText(text), 'canary', text);
});

test('other texts stay as they are', () => {
  for (const text of [
    'the token is not valid: it has expired at 10:20:30',
    '`audit.kafka.brokers` needs `host:port`, not `x`',
    'basic authentication is not supported',
    'serving a new bundle from oci://host/shop:live@sha256:00ff',
    'registry.example.com/shop:live@sha256:00ff',
    'alice@example.com',
    'the header `authorization:` is missing',
    'config=1,design=2,tokens=3',
    'a=1,b=2',
  ])
    assert.is(maskText(text), text);
});

test('names of secrets', () => {
  for (const name of [
    'password',
    'db_password',
    'apiKey',
    'API-KEY',
    'clientSecret',
    'access_token',
    'authorization',
    'encryptionKey',
  ])
    assert.ok(isSecretName(name), name);
  for (const name of ['tokens', 'passwordless', 'key', 'secretary', 'environment'])
    assert.not.ok(isSecretName(name), name);
});

test('masking takes linear time', async () => {
  const pieces = [
    'a:',
    '@',
    'https://',
    'token=',
    'eyJ.',
    'a.',
    'x@y:',
    '"secret":"',
    'bearer ',
    "password='",
    '-----BEGIN PRIVATE KEY-----',
    '"a.secret":',
    'cookie: a',
  ];
  for (const piece of pieces)
    await assertLinear(piece, 40_000, (size) => {
      const text = piece.repeat(size / piece.length);
      return () => maskText(text);
    });
});

test.run();
