import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SignJWT } from 'jose';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { openAudit } from '../../server/process.js';
import { loaded } from '../support/compiled.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/server/otlp-receiver.js';

/**
 * Runs calls on a server with schemas, keys, an audit log and a collector. Returns the spans that the collector has
 * once the server is closed.
 */
export async function spansOf(
  environment: Readonly<Record<string, string>>,
  run: (server: RunningServer) => Promise<void>,
  sets: readonly string[] = [],
): Promise<readonly ReceivedSpan[]> {
  const receiver = new OtlpReceiver();
  const folder = mkdtempSync(join(tmpdir(), 'authz-traces-'));
  // The exporters read the environment of the process themselves.
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    ...environment,
  };
  Object.assign(process.env, variables);
  try {
    for (const [path, text] of Object.entries(POLICIES)) {
      mkdirSync(dirname(join(folder, 'policies', path)), { recursive: true });
      writeFileSync(join(folder, 'policies', path), text);
    }
    const { config } = loadConfig({
      sets: [...SETS, `audit.file.path=${join(folder, 'audit.log')}`, ...sets],
      environment: {},
    });
    const facts = sets.some((set) => set.startsWith('sources.'));
    const server = await startServer(config, await loaded(await compileFolder(join(folder, 'policies'), { facts })), {
      log: LOG,
      audit: await openAudit(config, LOG),
    });
    try {
      await run(server);
    } finally {
      await server.close();
    }
    return receiver.spans;
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A token that the server accepts. */
export function validToken(claims: Readonly<Record<string, string>>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(KEY);
}

/** The names of spans as a tree, in the order of their start: `['a', ['b', ['c']]]`. */
export function treeOf(spans: readonly ReceivedSpan[], root: ReceivedSpan): Tree {
  const children = spans
    .filter(({ parentSpanId }) => parentSpanId === root.spanId)
    .toSorted((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.name < b.name ? -1 : 1));
  return [root.name, ...children.map((child) => treeOf(spans, child))];
}

export type Tree = readonly [string, ...Tree[]];

const NOWHERE = openSync('/dev/null', 'w');
const LOG = openLog({ output: NOWHERE, errors: NOWHERE, environment: {} });

const KEY = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
const KEYS = Buffer.from(
  JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.from(KEY).toString('base64url'), alg: 'HS256', kid: 'k1' }] }),
).toString('base64');

const SETS = [
  'server.httpListenAddr=127.0.0.1:0',
  'server.grpcListenAddr=127.0.0.1:0',
  'server.shutdownGrace=0s',
  'schema.enforcement=warn',
  'audit.enabled=true',
  'audit.backend=file',
  'auxData.jwt.keySets[0].id=own',
  `auxData.jwt.keySets[0].local.data=${KEYS}`,
];

const POLICIES = {
  'album.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  schemas:
    principalSchema: { ref: authz:///user.json }
    resourceSchema: { ref: authz:///album.json, ignoreWhen: { actions: [create] } }
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: 'R.attr.owner == P.id' } } }
    - { actions: [create], effect: EFFECT_ALLOW, roles: [user] }
`,
  'note.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: 'request.aux_data.jwt.tenant == "acme"' } } }
`,
  '_schemas/user.json': JSON.stringify({ type: 'object', properties: { team: { type: 'string' } } }),
  '_schemas/album.json': JSON.stringify({
    type: 'object',
    properties: { owner: { type: 'string' } },
    required: ['owner'],
  }),
};
