import { createHmac, createPublicKey, createSign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeySetConfig } from '../config/key-sets.js';
import { createVerifier } from './verify.js';

/*
 * The table of docs/migrating.md#tokens: each row is tried. RECORD=1 writes the table.
 */

const PAGE = new URL('../../docs/migrating.md', import.meta.url);
const now = Math.floor(Date.now() / 1000);
const secret = Buffer.from('0123456789abcdef0123456789abcdef');
const OCT = { kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid: 'k' };
const RSA = await generateKeyPair('RS256', { extractable: true });
const PUBLIC = { ...(await exportJWK(RSA.publicKey)), alg: 'RS256', kid: 'r' };
const POST_QUANTUM = { kty: 'AKP', kid: 'pq', alg: 'ML-DSA-65', pub: 'AAAA' };

type Result = 'accepted' | 'refused' | 'the server does not start';

/** What a server does with a token. */
interface Row {
  readonly what: string;
  /** Of the reference; undefined if it was not compared. */
  readonly reference: string | undefined;
  readonly here: Result;
  readonly note?: string;
  readonly tries: readonly (() => Promise<Result>)[];
}

interface Setting {
  readonly keys?: readonly unknown[];
  readonly optional?: boolean;
  readonly header?: object | string;
  /** The payload, if it is not the claims. */
  readonly payload?: Buffer | string;
  readonly change?: (token: string) => string;
  readonly disableVerification?: boolean;
}

async function verifyClaims(claims: object | string, setting: Setting = {}): Promise<Result> {
  const { keys = [OCT], optional = false, header = {}, change = (token) => token } = setting;
  const json = typeof claims === 'string' ? claims : JSON.stringify(claims);
  const written = typeof header === 'string' ? header : JSON.stringify({ alg: 'HS256', kid: 'k', ...header });
  const token = change(signed(setting.payload ?? json, written));
  const keySet: KeySetConfig = {
    id: 's',
    source: { kind: 'data', base64: Buffer.from(JSON.stringify({ keys })).toString('base64'), pem: false },
    optionalAlg: optional,
    optionalKid: optional,
    plainHttp: false,
    place: 'c.yaml:1:1',
  };
  const config = {
    keySets: [keySet],
    disableVerification: setting.disableVerification ?? false,
    acceptableTimeSkew: 0,
  };
  let verify: ReturnType<typeof createVerifier>;
  try {
    verify = createVerifier(config, { onKeySet: () => undefined });
  } catch {
    return 'the server does not start';
  }
  return verify({ jwt: { token, keySetId: '' }, jwts: new Map() }).then(
    () => 'accepted',
    () => 'refused',
  );
}

/** `SignJWT` would refuse most of these claims and headers. */
function signed(payload: Buffer | string, header: string, key: string | Buffer = secret): string {
  const text = [header, payload].map((part) => Buffer.from(part as string).toString('base64url')).join('.');
  return `${text}.${signature(text, header, key)}`;
}

function signature(text: string, header: string, key: string | Buffer = secret): string {
  const made =
    JSON.parse(header).alg === 'RS256'
      ? createSign('sha256')
          .update(text)
          .sign(RSA.privateKey as never)
      : createHmac('sha256', key).update(text).digest();
  return made.toString('base64url');
}

/** A token that says HS256, signed with the text of a public key. */
function confused(): string {
  const header = JSON.stringify({ alg: 'HS256', kid: 'r' });
  const pem = createPublicKey({ key: PUBLIC, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  return signed('{"sub":"s"}', header, pem as string);
}

/** A token whose payload is not encoded (RFC 7797). */
function unencoded(): string {
  const header = JSON.stringify({ alg: 'HS256', kid: 'k', b64: false, crit: ['b64'] });
  const text = `${Buffer.from(header).toString('base64url')}.{"sub":"s"}`;
  return `${text}.${signature(text, header)}`;
}

const of = (...claims: readonly (object | string)[]) => claims.map((one) => () => verifyClaims(one));
const by = (...settings: readonly Setting[]) => settings.map((one) => () => verifyClaims({ sub: 's' }, one));
const OTHER_TYPES = [true, [1], {}, ''];

const ROWS: readonly Row[] = [
  {
    what: '`exp`, `nbf` or `iat` is a string with a number',
    reference: 'accepted',
    here: 'refused',
    tries: of({ exp: String(now + 600) }, { nbf: String(now - 600) }, { iat: String(now - 600) }),
  },
  {
    what: '`exp`, `nbf` or `iat` has a fraction',
    reference: 'accepted',
    here: 'accepted',
    note: 'conditions see whole seconds',
    tries: of({ exp: now + 600.5 }, { nbf: now - 600.5 }, { iat: now - 600.5 }),
  },
  { what: '`exp` is null', reference: 'refused', here: 'refused', tries: of({ exp: null }) },
  {
    what: '`nbf`, `iat` or `aud` is null',
    reference: undefined,
    here: 'refused',
    tries: of({ nbf: null }, { iat: null }, { aud: null }),
  },
  {
    what: '`exp`, `nbf` or `iat` is of another type, or no date',
    reference: 'refused',
    here: 'refused',
    tries: ['exp', 'nbf', 'iat'].flatMap((name) => of(...[...OTHER_TYPES, 1e300].map((value) => ({ [name]: value })))),
  },
  {
    what: '`exp` is the current second',
    reference: 'refused',
    here: 'refused',
    tries: of({ exp: now - 1 }, { exp: 0 }),
  },
  { what: 'there is no `exp`', reference: 'accepted', here: 'accepted', tries: of({}) },
  {
    what: '`sub`, `iss` or `jti` is not a string, or `aud` neither a string nor a list of strings',
    reference: 'refused',
    here: 'refused',
    tries: [
      ...['sub', 'iss', 'jti'].flatMap((name) => of({ [name]: 5 }, { [name]: ['s'] }, { [name]: {} })),
      ...of({ aud: 5 }, { aud: ['a', 5] }, { aud: {} }),
    ],
  },
  {
    what: 'any other claim is null',
    reference: 'accepted',
    here: 'accepted',
    note: 'the claim is dropped; nulls inside a claim stay',
    tries: of({ sub: null }, { email: null }, { deep: [null] }),
  },
  {
    what: 'a claim is repeated',
    reference: 'accepted',
    here: 'accepted',
    note: 'the last one counts',
    tries: of('{"sub":"a","sub":"b"}'),
  },
  {
    what: '`aud` and `iss` are those of another service',
    reference: 'accepted',
    here: 'accepted',
    note: 'compare them in a condition',
    tries: of({ aud: 'other', iss: 'other' }),
  },
  {
    what: 'critical headers (`crit`) that are not known',
    reference: 'accepted',
    here: 'refused',
    tries: by({ header: { crit: ['x'], x: 1 } }),
  },
  {
    what: '`alg` is not that of the key',
    reference: 'accepted',
    here: 'refused',
    tries: by({ keys: [{ ...OCT, alg: 'HS512' }] }, { keys: [PUBLIC, { ...OCT, kid: 'other' }], header: { kid: 'r' } }),
  },
  { what: '`alg` is `none`', reference: 'refused', here: 'refused', tries: by({ header: { alg: 'none' } }) },
  {
    what: 'no `kid`, or an unknown one',
    reference: 'refused',
    here: 'refused',
    note: 'unless the keyset has `insecure.optionalKid`',
    tries: by({ header: { kid: undefined } }, { header: { kid: 'x' } }),
  },
  {
    what: 'white space around the token',
    reference: 'accepted',
    here: 'accepted',
    tries: by({ change: (token) => ` ${token}\n` }),
  },
  {
    what: '`Bearer ` before the token',
    reference: 'refused',
    here: 'refused',
    tries: by({ change: (token) => `Bearer ${token}` }),
  },
  {
    what: '`exp` is in the past, or `nbf` or `iat` in the future',
    reference: 'refused',
    here: 'refused',
    note: 'by more than `acceptableTimeSkew`',
    tries: of(
      { exp: now - 60 },
      { exp: -1 },
      { nbf: now + 600 },
      { iat: now + 600 },
      { exp: now + 600, nbf: now + 300 },
    ),
  },
  {
    what: '`nbf` or `iat` is the current second',
    reference: 'accepted',
    here: 'accepted',
    tries: of({ nbf: now }, { iat: now }, { nbf: 0, iat: 0 }),
  },
  {
    what: '`aud` is a string or a list of strings',
    reference: 'accepted',
    here: 'accepted',
    note: 'conditions see a list',
    tries: of({ aud: 'a' }, { aud: ['a'] }, { aud: ['a', 'b'] }, { aud: [] }),
  },
  {
    what: 'the header has any `typ` or `cty`',
    reference: 'accepted',
    here: 'accepted',
    tries: by(
      { header: { typ: 'at+jwt' } },
      { header: { typ: 'x' } },
      { header: { cty: 'JWT' } },
      { header: { typ: 5 } },
    ),
  },
  {
    what: 'the header has `zip`',
    reference: undefined,
    here: 'accepted',
    note: 'it is ignored: signed tokens are not compressed',
    tries: by({ header: { zip: 'DEF' } }),
  },
  {
    what: 'the header names keys (`jwk`, `jku`, `x5u`, `x5c`)',
    reference: undefined,
    here: 'accepted',
    note: 'if a key of the keyset verifies it; no other key counts',
    tries: by(
      { header: { jwk: PUBLIC } },
      { header: { jku: 'https://127.0.0.1:1/' } },
      { header: { x5u: 'x', x5c: ['x'] } },
    ),
  },
  {
    what: 'signed by a key that only its header has',
    reference: undefined,
    here: 'refused',
    tries: by(
      { header: { alg: 'RS256', jwk: PUBLIC } },
      { header: { alg: 'RS256', kid: 'r', jwk: PUBLIC } },
      { header: { alg: 'RS256', kid: undefined, jwk: PUBLIC }, optional: true },
    ),
  },
  {
    what: 'signed as HS256 with a public RSA key of the keyset',
    reference: undefined,
    here: 'refused',
    tries: by(
      { keys: [PUBLIC], change: confused },
      { keys: [PUBLIC], change: confused, optional: true },
      { keys: [{ ...PUBLIC, alg: undefined }], change: confused, optional: true },
    ),
  },
  {
    what: '`alg` is in lower case',
    reference: undefined,
    here: 'refused',
    tries: by({ header: { alg: 'hs256' } }, { header: { alg: 'NONE' } }, { header: { alg: ['HS256'] } }),
  },
  {
    what: 'a member of the header is repeated',
    reference: undefined,
    here: 'accepted',
    note: 'the last one counts',
    tries: by({ header: '{"alg":"none","kid":"x","alg":"HS256","kid":"k"}' }),
  },
  {
    what: '`kid` is not a string',
    reference: undefined,
    here: 'refused',
    tries: by({ header: { kid: 5 } }, { header: { kid: ['k'] } }, { header: { kid: null } }),
  },
  {
    what: 'two keys have the `kid` of the token',
    reference: undefined,
    here: 'accepted',
    note: 'if one of them verifies it',
    tries: by(
      { keys: [{ ...OCT, k: Buffer.alloc(32).toString('base64url') }, OCT] },
      { keys: [OCT, { ...PUBLIC, kid: 'k' }] },
    ),
  },
  {
    what: 'a payload that is not encoded (`b64: false`, RFC 7797)',
    reference: undefined,
    here: 'refused',
    tries: by({ change: unencoded }, { header: { b64: false, crit: ['b64'] } }),
  },
  {
    what: 'the payload is a token (nested), or not a JSON object in UTF-8',
    reference: undefined,
    here: 'refused',
    tries: by(
      ...[
        confused(),
        '[]',
        '"s"',
        '5',
        'null',
        '',
        '{"sub":"s"',
        '\ufeff{}',
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      ].map((payload) => ({ payload })),
    ),
  },
  {
    what: 'encrypted (five parts), or with fewer or more parts than three',
    reference: undefined,
    here: 'refused',
    tries: by(
      { change: (token) => `${token}.a.b` },
      { change: (token) => `${token}.` },
      { change: (token) => token.slice(0, token.lastIndexOf('.')) },
    ),
  },
  {
    what: 'the signature is missing or of another text',
    reference: 'refused',
    here: 'refused',
    tries: by(
      { change: (token) => token.slice(0, token.lastIndexOf('.') + 1) },
      { change: (token) => `${token}AAAA` },
      { change: (token) => token.replace(/\.[^.]*\./, `.${Buffer.from('{"sub":"t"}').toString('base64url')}.`) },
    ),
  },
  {
    what: 'white space or padding inside the token',
    reference: undefined,
    here: 'refused',
    tries: by(
      { change: (token) => token.replace('.', ' .') },
      { change: (token) => token.replace('.', '.\n') },
      { change: (token) => `${token}=` },
    ),
  },
  {
    what: 'with `disableVerification`: a JSON object in place of a token',
    reference: 'accepted',
    here: 'refused',
    tries: by({ disableVerification: true, change: () => '{"sub":"s"}' }),
  },
  {
    what: 'the keyset has a key of an unknown type (`kty`), beside that of the token',
    reference: 'the server does not start',
    here: 'accepted',
    note: 'the key is ignored',
    tries: by({ keys: [POST_QUANTUM, OCT] }, { keys: [OCT, { kty: 5 }, null, 'key', { alg: 'HS256' }] }),
  },
  {
    what: 'the key is for encryption (`use: enc`)',
    reference: 'refused',
    here: 'the server does not start',
    note: 'if it is the only one of a local keyset; otherwise the token is refused',
    tries: by({ keys: [{ ...OCT, use: 'enc' }] }, { keys: [{ ...OCT, use: null }] }),
  },
  {
    what: 'the key is for other operations (`key_ops` without `verify`)',
    reference: undefined,
    here: 'refused',
    tries: by(
      {
        keys: [
          { ...OCT, key_ops: ['encrypt'] },
          { ...OCT, kid: 'other' },
        ],
      },
      {
        keys: [
          { ...OCT, key_ops: 'verify' },
          { ...OCT, kid: 'other' },
        ],
      },
      {
        keys: [
          { ...OCT, key_ops: [] },
          { ...OCT, kid: 'other' },
        ],
      },
      {
        keys: [
          { ...OCT, use: 'enc' },
          { ...OCT, kid: 'other' },
        ],
      },
    ),
  },
  {
    what: 'a key of the keyset lacks `alg` or `kid`',
    reference: 'refused',
    here: 'refused',
    note: 'all tokens of the keyset, unless `insecure` allows it; a key that is ignored does not count',
    tries: by({ keys: [OCT, { ...OCT, alg: undefined, kid: 'b' }] }, { keys: [OCT, { ...OCT, kid: undefined }] }),
  },
  {
    what: 'no key of a local keyset can be used',
    reference: 'refused',
    here: 'the server does not start',
    tries: by({ keys: [] }, { keys: [POST_QUANTUM] }, { keys: [{ kty: 'RSA', alg: 'RS256', kid: 'k' }] }),
  },
];

const test = suite('the table of tokens');

for (const { what, here, tries } of ROWS)
  test(what, async () => {
    for (const [index, attempt] of tries.entries()) assert.is(await attempt(), here, `try ${index}`);
  });

test('keys for signatures verify beside others, and the key of a signer by its public part', async () => {
  const privateKey = await exportJWK(RSA.privateKey);
  for (const keys of [
    [{ ...OCT, use: 'sig' }],
    [{ ...OCT, key_ops: ['verify'] }],
    [{ ...OCT, key_ops: ['sign', 'verify'] }],
    [{ ...OCT, kid: 'e', use: 'enc' }, POST_QUANTUM, OCT],
    [{ use: 'enc', kty: 'RSA' }, OCT],
  ])
    assert.is(await verifyClaims({}, { keys }), 'accepted', JSON.stringify(keys));
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'r' }).sign(RSA.privateKey);
  for (const operations of [['sign'], ['verify'], ['sign', 'verify']]) {
    const keys = [{ ...privateKey, alg: 'RS256', kid: 'r', key_ops: operations }];
    assert.is(await verifyClaims({}, { keys, change: () => token }), 'accepted', operations.join());
  }
});

test('the page has this table', () => {
  const rows = ROWS.map(
    ({ what, reference = 'not compared', here, note }) =>
      `| ${what} | ${reference} | ${here}${note === undefined ? '' : `: ${note}`} |`,
  );
  const table = ['| a token | Cerbos | here |', '|---|---|---|', ...rows].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const written = page.replace(/\| a token \| the reference \| here \|\n(?:\|.*\n)*/, () => `${table}\n`);
  if (process.env['RECORD'] === '1') writeFileSync(PAGE, written);
  else assert.is(page, written, 'RECORD=1 writes the table');
});

test.run();
