import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { loadConfig } from '../../../server/config.js';
import { type RunningServer, startServer } from '../../../server/main.js';
import { compileTexts, loaded } from '../compiled.js';

/** Alice (`employee`) may view and list contacts; bob (`admin`) may also edit, delete and export them. */
const POLICIES = {
  'contact.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: contact
  version: default
  rules:
    - actions: [view, list]
      effect: EFFECT_ALLOW
      roles: [employee, admin]
    - actions: [edit, delete, export]
      effect: EFFECT_ALLOW
      roles: [admin]
    - actions: [note]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition:
        match:
          expr: R.attr.note == "n1" && R.attr.source == "gateway" && request.auxData.jwt.sub == P.id
`,
};

const SECRET = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
const KEY = Buffer.from(
  JSON.stringify({ kty: 'oct', k: Buffer.from(SECRET).toString('base64url'), alg: 'HS256', kid: 'k1' }),
).toString('base64');

const ROUTES = `
      - { methods: [GET, HEAD], path: "/contacts", kind: contact, id: all, action: list }
      - { methods: [OPTIONS], path: "/contacts", kind: contact, id: all, action: list }
      - { methods: [GET], path: "/contacts/export", kind: contact, id: all, action: export }
      - { methods: [GET], path: "/contacts/{id}", kind: contact, id: "{id}", action: view }
      - { methods: [PUT, PATCH], path: "/contacts/{id}", kind: contact, id: "{id}", action: edit }
      - { methods: [DELETE], path: "/contacts/{id}", kind: contact, id: "{id}", action: delete }
      - { methods: [GET], path: "/contacts/{id}/notes/{note}", kind: contact, id: "{id}", action: note, attr: { note: "{note}", source: gateway } }
      - { methods: [GET], path: "/unknown/{id}", kind: nothing, id: "{id}", action: view }`;

/** A server with a gateway for local peers. */
export interface GatewayServer {
  readonly server: RunningServer;
  readonly close: () => Promise<void>;
}

/** @param settings lines of `server.gateway` beyond peers, token and routes, in YAML flow style or indented by four spaces. */
export async function startGateway(
  settings: readonly string[] = [],
  {
    peers = '[127.0.0.0/8, "::1/128"]',
    keySets = `- { id: k, local: { data: ${KEY} } }`,
    more = '',
    address = '127.0.0.1:0',
  } = {},
): Promise<GatewayServer> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-gateway-'));
  const file = join(folder, 'config.yaml');
  writeFileSync(
    file,
    `server:
  httpListenAddr: ${address}
  grpcListenAddr: 127.0.0.1:0
${more}
  gateway:
    enabled: true
    peers: ${peers}
    token: { audiences: [shop], attributes: { department: dept } }
    identity: { attributes: { department: x-authz-department } }
${settings.map((line) => `    ${line}\n`).join('')}
    routes: ${ROUTES}
auxData:
  jwt:
    keySets:
      ${keySets}
`,
  );
  const { config } = loadConfig({ file, environment: {} });
  const server = await startServer(config, await loaded(compileTexts(POLICIES)));
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, close };
}

/** A token with these claims for the audience of the gateway. */
export function tokenOf(claims: object): Promise<string> {
  return new SignJWT({ aud: 'shop', ...claims }).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(SECRET);
}

export const ALICE = { sub: 'alice', roles: ['employee'], dept: 'sales' };
export const BOB = { sub: 'bob', roles: ['admin', 'employee'] };
