import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';

/** Subjects whose id, roles, attributes and scope come from a token, whatever the caller says of them. */
const POLICIES = {
  'document.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [employee]
    - actions: [delete]
      effect: EFFECT_ALLOW
      roles: [admin]
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition:
        match:
          expr: P.attr.department == R.attr.department && !has(P.attr.clearance)
    - actions: [sign]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition:
        match:
          expr: P.scope == "acme" && request.auxData.jwt.sub == P.id
`,
};
const SECRET = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
const KEY = Buffer.from(
  JSON.stringify({ kty: 'oct', k: Buffer.from(SECRET).toString('base64url'), alg: 'HS256', kid: 'k1' }),
).toString('base64');
const CONFIG = `server:
  httpListenAddr: 127.0.0.1:0
  grpcListenAddr: 127.0.0.1:0
  authzen:
    subject: token
    token:
      audiences: [authz, shop]
      roles: [realm_access, roles]
      defaultRoles: [guest]
      attributes: { department: [profile, dept] }
      scope: tenant
auxData:
  jwt:
    keySets:
      - { id: k, local: { data: ${KEY} } }
`;
const CLAIMS = {
  sub: 'alice',
  aud: 'shop',
  tenant: 'acme',
  realm_access: { roles: ['employee', 'employee', '', 7] },
  profile: { dept: 'sales' },
  clearance: 'none',
};

const folder = mkdtempSync(join(tmpdir(), 'authz-token-subject-'));
let server: RunningServer;
test.before(async () => {
  writeFileSync(join(folder, 'config.yaml'), CONFIG);
  const { config } = loadConfig({ file: join(folder, 'config.yaml'), environment: {} });
  server = await startServer(config, await loaded(compileTexts(POLICIES)));
});
test.after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const tokenOf = (claims: object): Promise<string> =>
  new SignJWT(claims as never).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(SECRET);

interface Asked {
  readonly token?: string;
  readonly context?: object;
  readonly id?: string;
  readonly properties?: object;
  readonly path?: string;
  readonly more?: object;
}

async function ask(action: string, { token, context, id = 'alice', properties, path, more }: Asked) {
  const body = {
    subject: { type: 'admin', id, properties: { 'authz.roles': ['admin'], 'authz.scope': 'other', ...properties } },
    resource: { type: 'document', id: 'd1', properties: { department: 'sales' } },
    action: { name: action },
    context,
    ...more,
  };
  const { status, text, headers } = await send(
    server.httpAddress,
    'POST',
    path ?? '/access/v1/evaluation',
    JSON.stringify(body),
    { 'Content-Type': 'application/json', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
  );
  return { status, headers, json: JSON.parse(text) as { readonly decision?: boolean; readonly message?: string } };
}

test('id, roles, attributes and scope are those of the token, and nothing that the caller says', async () => {
  const token = await tokenOf(CLAIMS);
  for (const asked of [{ token }, { context: { 'authz.auxData': { jwt: { token } } } }]) {
    const decisions: unknown[] = [];
    for (const action of ['read', 'delete', 'edit', 'sign']) {
      const properties = { department: 'it', clearance: 'top' };
      decisions.push((await ask(action, { ...asked, properties })).json.decision);
    }
    assert.equal(decisions, [true, false, true, true]);
  }
});

test('the token in the context counts more than that of the header', async () => {
  const [mine, theirs] = [await tokenOf(CLAIMS), await tokenOf({ ...CLAIMS, sub: 'bob' })];
  const context = { 'authz.auxData': { jwt: { token: theirs } } };
  assert.is((await ask('read', { token: mine, context })).status, 403);
  assert.equal((await ask('read', { token: mine, context, id: 'bob' })).json, { decision: true });
});

test('a token without roles has the default ones', async () => {
  const token = await tokenOf({ ...CLAIMS, realm_access: {} });
  assert.equal((await ask('read', { token })).json, { decision: false });
  assert.equal((await ask('edit', { token })).json, { decision: true });
});

test('without a good token for this subject and audience, the call fails', async () => {
  const { status, headers } = await ask('read', {});
  assert.is(status, 401);
  assert.is(headers['www-authenticate'], 'Bearer');
  const good = await tokenOf(CLAIMS);
  const cases: readonly (readonly [Asked, number, RegExp])[] = [
    [{ token: good, id: 'bob' }, 403, /`subject.id` is not the subject of the token/],
    [{ token: await tokenOf({ ...CLAIMS, sub: undefined }) }, 403, /no subject id/],
    [{ token: await tokenOf({ ...CLAIMS, aud: 'elsewhere' }) }, 403, /another audience/],
    [{ token: await tokenOf({ ...CLAIMS, aud: undefined }) }, 403, /another audience/],
    [{ token: await tokenOf({ ...CLAIMS, tenant: undefined }) }, 403, /no scope/],
    [{ token: `${good.slice(0, -4)}AAAA` }, 400, /^invalid auxData$/],
    [{ token: await tokenOf({ ...CLAIMS, exp: 1 }) }, 400, /^invalid auxData$/],
    [{ token: `${good} ${good}` }, 401, /needs a token/],
    [{ token: good, context: { 'authz.auxData': { jwts: { a: { token: good } } } } }, 400, /of the subject as `jwt`/],
  ];
  for (const [asked, expected, message] of cases) {
    const { status, json } = await ask('read', asked);
    assert.is(status, expected, json.message);
    assert.match(json.message ?? '', message);
  }
});

test('evaluations and searches have the same subject', async () => {
  const token = await tokenOf(CLAIMS);
  const evaluations = ['read', 'delete'].map((name) => ({ action: { name } }));
  const batch = { token, path: '/access/v1/evaluations', more: { evaluations } };
  assert.equal((await ask('read', batch)).json, { evaluations: [{ decision: true }, { decision: false }] });
  const others = [...evaluations, { subject: { type: 'user', id: 'bob' } }];
  assert.is((await ask('read', { ...batch, more: { evaluations: others } })).status, 403);
  const search = await ask('', { token, path: '/access/v1/search/action', more: { action: undefined } });
  assert.equal(search.json, { results: [{ name: 'edit' }, { name: 'read' }, { name: 'sign' }] });
});

test('tokens of subjects must be verified', () => {
  const refusal = (...sets: readonly string[]): string => {
    try {
      loadConfig({ sets, environment: {} });
    } catch (error) {
      assert.instance(error, ConfigError);
      return (error as ConfigError).message;
    }
    return '';
  };
  assert.match(refusal('server.authzen.subject=token'), 'needs `auxData.jwt.keySets`');
  const keys = 'auxData.jwt.keySets[0].id=k,auxData.jwt.keySets[0].remote.url=https://127.0.0.1/keys';
  assert.match(
    refusal('server.authzen.subject=token', keys, 'auxData.jwt.disableVerification=true'),
    'contradicts `server.authzen.subject: token`',
  );
  assert.match(refusal('server.authzen.token.id={}'), 'the name of a claim');
});

test.run();
