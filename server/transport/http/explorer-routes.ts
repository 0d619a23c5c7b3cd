import type { TLSSocket } from 'node:tls';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openApiPrinter } from '../../explorer/open-api.js';
import { type PageFile, pageFiles } from '../../explorer/page-files.js';
import { NOT_EXPLAINING } from '../../service/explain-decision.js';
import { RpcError, toRpcError } from '../../service/rpc-error.js';
import { authenticatedToRead, type Services } from '../../service/services.js';
import type { HttpPlugin } from './app.js';
import { challenge } from './challenge.js';
import type { HeaderList } from './cors.js';
import { type Exchange, JSON_TYPE } from './exchange.js';
import { readCaller } from './http-call.js';

/**
 * The description of the REST interface and, unless disabled, the page to try it out
 * (docs/spec/server.md#openapi-and-explorer), for every method.
 */
export function createExplorerPlugin(
  exchange: Exchange,
  services: Services,
  { apiExplorerEnabled }: { readonly apiExplorerEnabled: boolean },
): HttpPlugin {
  return (routes) => {
    const add = (url: string, answer: (request: IncomingMessage) => Answer): void => {
      routes.any(url, (request, response) => send(request, response, exchange, answer(request)));
    };
    const print = openApiPrinter();
    add('/schema/swagger.json', (request) => ({
      headers: JSON_TYPE,
      body: print(readAddress(request), services.release.version),
    }));
    if (!apiExplorerEnabled) return;
    add('/explorer/names.json', () => ({
      headers: JSON_TYPE,
      body: JSON.stringify({ kinds: services.names?.() ?? [] }),
    }));
    routes.any('/explorer/policies.json', (request, response) => {
      sendPolicies(request, response, exchange, services).catch((thrown) => {
        const error = toRpcError(thrown, services.report);
        exchange.sendRestError(request, response, error, [...JSON_TYPE, ...challenge(error)]);
      });
    });
    for (const file of pageFiles(services.local !== undefined)) add(file.path, (request) => fileAnswer(file, request));
  };
}

/** The texts of the policies in use, and of their tests if they are there, from a server that explains decisions. */
async function sendPolicies(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  services: Services,
): Promise<void> {
  const { explainer, local } = services;
  await authenticatedToRead(services, readCaller(request));
  if (explainer === undefined) throw new RpcError('unimplemented', NOT_EXPLAINING);
  const files = [...explainer.texts(), ...(local?.tests() ?? [])].map(([path, text]) => ({ path, text }));
  exchange.send(request, response, 200, [...JSON_TYPE, 'Cache-Control', 'no-store'], JSON.stringify({ files }));
}

interface Answer {
  readonly headers: HeaderList;
  readonly body: string | Buffer;
}

function fileAnswer(
  { mediaType, isHashed, bytes, gzipped }: PageFile,
  { headers: { 'accept-encoding': accepted } }: IncomingMessage,
): Answer {
  const takesGzip = /\bgzip\b(?!;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(accepted));
  const headers = [
    'Content-Type',
    mediaType,
    // A new release is visible at once.
    'Cache-Control',
    isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Vary',
    'Accept-Encoding',
    ...(takesGzip ? ['Content-Encoding', 'gzip'] : []),
    ...PAGE_HEADERS,
  ];
  return { headers, body: takesGzip ? gzipped() : bytes() };
}

/** The page loads nothing from other hosts, runs no inline scripts, and cannot be embedded in another page. */
const PAGE_HEADERS: HeaderList = [
  'Content-Security-Policy',
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
];

function send(request: IncomingMessage, response: ServerResponse, exchange: Exchange, { headers, body }: Answer): void {
  exchange.send(request, response, 200, headers, body);
}

/** The host that the caller used. If it is missing or not a host name, the caller resolves the URL: `/` is relative. */
function readAddress({ headers, socket }: IncomingMessage): string {
  const host = headers.host ?? String(headers[':authority'] ?? '');
  if (!HOST.test(host)) return '/';
  const isSecure = (socket as TLSSocket).encrypted === true || headers['x-forwarded-proto'] === 'https';
  return `${isSecure ? 'https' : 'http'}://${host}`;
}

const HOST = /^[\w.:[\]-]+$/;
