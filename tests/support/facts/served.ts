import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { loadConfig } from '../../../server/config.js';
import { type Bundle, type RunningServer, startServer, type Surroundings } from '../../../server/main.js';
import { compileTexts, loaded } from '../compiled.js';

/** Compiles policies as `authzc compile --facts --explain` does. */
export async function factsBundle(
  texts: { readonly [path: string]: string },
  schemaTexts?: ReadonlyMap<string, string>,
): Promise<Bundle> {
  return loaded(compileTexts(texts, { facts: true, explain: true, ...(schemaTexts && { schemaTexts }) }));
}

export const ADMIN = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;
const HASH = Buffer.from(hashSync('open sesame', 4)).toString('base64');

/** The routes of the gateway: `GET /KIND/ID/ACTION`, for some kinds and actions. */
function routes(kinds: readonly string[], actions: readonly string[]): string {
  const all = kinds.flatMap((kind) =>
    actions.map((action) => ({ methods: ['GET'], path: gatewayPath(kind, '{id}', action), kind, id: '{id}', action })),
  );
  return JSON.stringify(all);
}

/** Starts a server of all protocols, with more of a configuration as JSON: `sources`, for example. */
export async function startFactsServer(
  bundle: Bundle,
  more: { readonly [key: string]: unknown },
  surroundings: Surroundings = {},
  { kinds = ['doc'], actions = ['view', 'edit'] }: { kinds?: readonly string[]; actions?: readonly string[] } = {},
): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-facts-'));
  const file = join(folder, 'config.yaml');
  const { server = {}, ...rest } = more;
  const configuration = {
    server: {
      httpListenAddr: '127.0.0.1:0',
      grpcListenAddr: '127.0.0.1:0',
      adminAPI: { enabled: true, adminCredentials: { username: 'admin', passwordHash: HASH } },
      explain: { enabled: true },
      gateway: {
        enabled: true,
        peers: ['127.0.0.0/8', '::1/128'],
        principal: 'headers',
        routes: JSON.parse(routes(kinds, actions)) as unknown,
      },
      ...(server as object),
    },
    ...rest,
  };
  writeFileSync(file, JSON.stringify(configuration));
  const { config } = loadConfig({ file, environment: {} });
  rmSync(folder, { recursive: true });
  return startServer(config, bundle, surroundings);
}

/** An origin of facts on this machine. */
export interface Origin {
  readonly url: string;
  /** The targets that it was asked for. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
  answer: (ids: readonly string[], response: ServerResponse, request: IncomingMessage) => void;
  readonly close: () => Promise<void>;
}

/** Starts an origin; `answer` is to be set. `ids` is what the query has. */
export async function startOrigin(): Promise<Origin> {
  const server = createServer((request, response) => {
    origin.asked.push(request.url ?? '');
    origin.requests.push(request);
    const { searchParams } = new URL(request.url ?? '', 'http://origin');
    origin.answer((searchParams.get('ids') ?? '').split(','), response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin: Origin = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    requests: [],
    answer: (_, response) => response.writeHead(500).end(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return origin;
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The path of a question to a gateway, whose routes have few characters. */
export function gatewayPath(kind: string, id: string, action: string): string {
  const [kindPart, actionPart] = [kind, action].map((name) => name.replace(/[^\w-]/g, '~'));
  return `/${kindPart}/${id}/${actionPart}`;
}
