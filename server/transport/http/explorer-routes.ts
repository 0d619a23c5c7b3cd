import type { TLSSocket } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assets } from '../../explorer/gen/assets.js';
import { openApiPrinter } from '../../explorer/open-api.js';
import type { Services } from '../../service/services.js';
import { addAnyMethodRoute } from './any-method.js';
import type { HeaderList } from './cors.js';
import { type Exchange, JSON_TYPE } from './exchange.js';

/**
 * The description of the REST interface and, unless it is off, the page that tries it out
 * (docs/spec/server.md#openapi-and-explorer), by whatever method they are asked for.
 */
export function addExplorerRoutes(
  app: FastifyInstance,
  exchange: Exchange,
  services: Services,
  { apiExplorerEnabled }: { readonly apiExplorerEnabled: boolean },
): void {
  const add = (url: string, answer: (request: FastifyRequest) => Answer): void => {
    addAnyMethodRoute(app, exchange, services, url, (request, reply) =>
      send(request, reply, exchange, answer(request)),
    );
  };
  const print = openApiPrinter();
  add('/schema/swagger.json', (request) => ({
    headers: JSON_TYPE,
    body: print(addressOf(request), services.release.version),
  }));
  if (!apiExplorerEnabled) return;
  for (const { path, mediaType, text } of assets) {
    const answer = { headers: ['Content-Type', mediaType, ...PAGE_HEADERS], body: text };
    add(path, () => answer);
  }
}

interface Answer {
  readonly headers: HeaderList;
  readonly body: string;
}

/** The page is whole without any other host, runs nothing that stands in it, and stands in no other page. */
const PAGE_HEADERS: HeaderList = [
  'Content-Security-Policy',
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  // A new release is seen at once.
  'Cache-Control',
  'no-cache',
];

function send(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, { headers, body }: Answer): void {
  exchange.send(request, reply, 200, headers, body);
}

/** Where the caller believes to be. What is no host name, or none at all, is left to the caller: `/` is relative. */
function addressOf({ headers, raw }: FastifyRequest): string {
  const host = headers.host ?? String(headers[':authority'] ?? '');
  if (!HOST.test(host)) return '/';
  const isSecure = (raw.socket as TLSSocket).encrypted === true || headers['x-forwarded-proto'] === 'https';
  return `${isSecure ? 'https' : 'http'}://${host}`;
}

const HOST = /^[\w.:[\]-]+$/;
