import type { IncomingHttpHeaders } from 'node:http';
import type { CorsConfig } from '../../config.js';
import { BUNDLE_HASH } from '../call-header.js';

/** Header names and values, alternating, as `writeHead` takes them. */
export type HeaderList = readonly string[];

/** What browsers of other origins may do (docs/spec/server.md#cors). */
export interface Cors {
  /** The headers of every response to such a request. */
  readonly headers: (request: IncomingHttpHeaders) => HeaderList;
  /** The headers of the response to a preflight request; undefined for other requests. */
  readonly preflight: (method: string | undefined, request: IncomingHttpHeaders) => HeaderList | undefined;
}

/**
 * The rules of a configuration. Without a list of origins, every origin may read responses; credentials are never
 * allowed.
 */
export function createCors(config: CorsConfig): Cors {
  if (config.disabled) return { headers: () => NONE, preflight: () => undefined };
  const allows = originMatcher(config.allowedOrigins);
  const allowedHeaders = new Set(config.allowedHeaders.map((name) => name.toLowerCase()));
  const allowance = ({ origin }: IncomingHttpHeaders): HeaderList =>
    origin === undefined || !allows(origin)
      ? NONE
      : ['Access-Control-Allow-Origin', config.allowedOrigins.length === 0 ? '*' : origin];
  return {
    headers: (request) => {
      const allowed = allowance(request);
      return allowed === NONE ? VARY : [...VARY, ...allowed, 'Access-Control-Expose-Headers', BUNDLE_HASH];
    },
    preflight: (method, request) => {
      const wanted = request['access-control-request-method'];
      if (method !== 'OPTIONS' || wanted === undefined) return undefined;
      const names = headerNames(request['access-control-request-headers']);
      const allowed =
        METHODS.has(wanted) && allows(request.origin ?? '') && names.every((name) => allowedHeaders.has(name));
      return allowed ? [...VARY, ...allowance(request), ...permissions(wanted, names, config.maxAge)] : VARY;
    },
  };
}

const NONE: HeaderList = [];
const VARY: HeaderList = ['Vary', 'Origin'];
const METHODS = new Set(['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** An entry is an origin, or one with a single `*` as a wildcard. */
function originMatcher(entries: readonly string[]): (origin: string) => boolean {
  if (entries.length === 0 || entries.includes('*')) return (origin) => origin !== '';
  const patterns = entries.map((entry) => entry.toLowerCase().split('*'));
  return (origin) => {
    const text = origin.toLowerCase();
    return patterns.some(([head = '', tail]) => {
      if (tail === undefined) return text === head;
      return text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
    });
  };
}

function headerNames(value: string | readonly string[] | undefined): readonly string[] {
  const names = String(value ?? '').split(',');
  return names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
}

function permissions(method: string, names: readonly string[], maxAge: number): HeaderList {
  return [
    'Access-Control-Allow-Methods',
    method,
    ...(names.length > 0 ? ['Access-Control-Allow-Headers', names.join(', ')] : []),
    ...(maxAge > 0 ? ['Access-Control-Max-Age', String(Math.round(maxAge / 1000))] : []),
  ];
}
