/** Sources of facts that a server answers in JSON. */
import type { FactSource, FactType } from '../../runtime/facts/index.js';
import type { ForwardingContext, ServedSource } from '../../runtime/facts/source.js';
import { setOwn } from '../cel/runtime/own-property.js';
import { type FactsOf, listSelected } from './column-source.js';

/** How a server is asked, and what its answers mean. */
export interface HttpFactsOptions extends FactsOf {
  /**
   * Where the rows are: `{ids}`, in a value of the query, for several at once, with commas between them, or `{id}`, in the
   * path or the query, for one.
   */
  readonly url: string;
  /** The type of each attribute that is read. */
  readonly types: { readonly [attribute: string]: FactType };
  /** Where an attribute is in a row, as a JSON pointer. Default: its name. */
  readonly attributes?: { readonly [attribute: string]: string } | undefined;
  /** Where the rows are in an answer, or the row with `{id}`, as a JSON pointer. Default: the answer. */
  readonly items?: string | undefined;
  /** Where the id is in a row, as a JSON pointer. A row without it is refused. Default: `/id`. */
  readonly id?: string | undefined;
  /** Headers of each request, such as `authorization`: called each time, so that a secret can change. */
  readonly headers?: (() => HeaderValues | PromiseLike<HeaderValues>) | undefined;
  /** The status that says, with `{id}`, that there is no row. Without it, any status but 200 fails. */
  readonly missingStatus?: 404 | 410 | undefined;
  /** The longest answer, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Whether another machine may be asked without TLS. */
  readonly plainHttp?: boolean | undefined;
}

type HeaderValues = { readonly [name: string]: string };

const MEBIBYTE = 1_048_576;
/** What asking another server costs (`FactSource.cost`). */
const HTTP_COST = 4;
const LONGEST_ID = 1024;
/** What no source accepts as a row or a value. */
const INVALID = Symbol('invalid');

/**
 * Creates a source of facts from a server that answers in JSON. Redirects are not followed, so that headers stay with the
 * server of the URL; ids are percent-encoded.
 *
 * @example
 * import { createServer } from 'node:http';
 * import type { AddressInfo } from 'node:net';
 * import { httpFacts } from 'authz/adapters/facts';
 * import { createFactsEngine } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 *
 * const server = createServer((_, response) => {
 *   response.setHeader('content-type', 'application/json');
 *   response.end('{"albums": [{"id": "1", "by": {"user": "ann"}, "status": "OPEN"}]}');
 * });
 * await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
 * const { port } = server.address() as AddressInfo;
 *
 * const source = httpFacts({
 *   of: 'album',
 *   url: `http://127.0.0.1:${port}/albums?ids={ids}`,
 *   types: { owner: 'string', status: 'string' },
 *   items: '/albums',
 *   attributes: { owner: '/by/user' },
 *   headers: () => ({ authorization: `Bearer ${process.env['ALBUMS_TOKEN']}` }),
 * });
 * const authz = createFactsEngine(policies, { sources: [source] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const { allowed } = await authz.decide({ principal, resource: { kind: 'album', id: '1' }, action: 'edit' });
 * console.log(allowed); // => true
 * server.close();
 *
 * @throws {TypeError} for a URL that cannot be used.
 */
export function httpFacts(options: HttpFactsOptions): FactSource {
  const { headers, maxBytes = MEBIBYTE, ...rest } = options;
  return httpFactsBy(async (url, signal, { missingStatus }) => {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...(await headers?.()) },
      redirect: 'manual',
      credentials: 'omit',
      signal,
    });
    const { status } = response;
    const contentType = response.headers.get('content-type') ?? '';
    if (status === missingStatus || !isAnswer(status, contentType)) {
      await response.body?.cancel();
      return { status, contentType, body: NO_BODY };
    }
    return { status, contentType, body: await readBytes(response, maxBytes) };
  }, rest);
}

const NO_BODY = new Uint8Array();

/** An answer of a server. Its body may be left out if the status is not 200. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Sends a request for a URL. Follows no redirect, and rejects if there is no whole answer. */
export type SendRequest = (
  url: string,
  signal: AbortSignal,
  options: Pick<HttpFactsOptions, 'missingStatus'> & Pick<ForwardingContext, 'authorization'>,
) => Promise<HttpAnswer>;

/** Creates the same source by another client, which has headers and limits of its own. */
export function httpFactsBy(send: SendRequest, options: Omit<HttpFactsOptions, 'headers' | 'maxBytes'>): ServedSource {
  const { url, types, attributes = {}, items = '', id = '/id', missingStatus, plainHttp, ...rest } = options;
  const { provides = Object.keys(types), cost = HTTP_COST, ...source } = rest;
  const template = readTemplate(url, plainHttp === true);
  const readers = [...new Set([...provides, ...listSelected(source)])].map((attribute) => {
    const pointer = Object.hasOwn(attributes, attribute) ? attributes[attribute] : `/${escapeName(attribute)}`;
    return [attribute, parsePointer(pointer as string)] as const;
  });
  const [itemsAt, idAt] = [parsePointer(items), parsePointer(id)];

  const ask = async (keys: readonly string[], { signal, authorization }: ForwardingContext): Promise<unknown> => {
    const { status, contentType, body } = await send(template.make(keys), signal, { missingStatus, authorization });
    if (!template.isList && status === missingStatus) return [];
    if (!isAnswer(status, contentType)) throw new TypeError('not an answer in JSON');
    const answer = readPointer(readJson(body), itemsAt);
    return template.isList ? answer : [answer];
  };
  return {
    ...source,
    cost,
    provides,
    types,
    ...(!template.isList && { maxKeys: 1 }),
    load: async (keys, context) => {
      const found = new Map<string, unknown>();
      const asked = keys.filter((key) => isSafeId(key, template.isInPath));
      for (const key of keys) if (!asked.includes(key)) found.set(key, INVALID);
      const rows = asked.length === 0 ? [] : await ask(asked, context);
      if (!Array.isArray(rows)) throw new TypeError('not a list of rows');
      for (const row of rows as readonly unknown[]) {
        const key = readPointer(row, idAt);
        // A row without an id may be about anything.
        if (typeof key !== 'string' && !Number.isSafeInteger(key)) throw new TypeError('a row without an id');
        const name = String(key);
        // Two rows of one id: which of them decides is not known.
        found.set(name, found.has(name) ? INVALID : readRow(row, readers));
      }
      return found as ReadonlyMap<string, object>;
    },
  };
}

function readRow(row: unknown, readers: readonly (readonly [string, readonly string[]])[]): object {
  const facts: { [attribute: string]: unknown } = {};
  for (const [attribute, pointer] of readers) {
    const value = readPointer(row, pointer);
    if (value !== undefined) setOwn(facts, attribute, value);
  }
  return facts;
}

interface UrlTemplate {
  readonly isList: boolean;
  readonly isInPath: boolean;
  make(keys: readonly string[]): string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A URL with one placeholder, which is a segment of the path or in a value of the query. */
function readTemplate(text: string, plainHttp: boolean): UrlTemplate {
  const refuse = (problem: string): never => {
    throw new TypeError(`\`url\`: ${problem}`);
  };
  const [before = '', placeholder = '', after = '', ...others] = text.split(/(\{ids?\})/);
  if (placeholder === '' || others.length > 0) refuse('must have `{ids}` or `{id}` once');
  if (!URL.canParse(`${before}x${after}`)) refuse('must be a URL');
  const { protocol, hostname, username, password, hash, origin } = new URL(`${before}x${after}`);
  if (protocol !== 'https:' && protocol !== 'http:') refuse('must begin with `https://`');
  if (protocol === 'http:' && !plainHttp && !LOOPBACK.test(hostname))
    refuse('must begin with `https://`: answers could be changed on the way; `plainHttp: true` allows it');
  if (username !== '' || password !== '') refuse('must have no credentials: pass `headers`');
  if (hash !== '') refuse('must have no fragment');
  const isInPath = !before.includes('?');
  const isList = placeholder === '{ids}';
  if (isInPath && (!/^[^:]+:\/\/[^/]+\/(.*\/)?$/.test(before) || !/^([/?]|$)/.test(after)))
    refuse(`\`${placeholder}\` must be a whole segment of the path`);
  if (isInPath && isList) refuse('`{ids}` must be in the query');
  if (!isInPath && !/=[^&]*$/.test(before)) refuse(`\`${placeholder}\` must be in a value of the query`);
  return {
    isList,
    isInPath,
    make(keys) {
      const made = `${before}${keys.map(encodeURIComponent).join(',')}${after}`;
      // The ids cannot lead elsewhere; should they, nothing is sent.
      if (new URL(made).origin !== origin) throw new TypeError('the URL has another origin');
      return made;
    },
  };
}

const CONTROL = /[\p{Cc}\p{Surrogate}]/u;

/** Whether an id can be sent, and names nothing else on the way. */
function isSafeId(id: string, isInPath: boolean): boolean {
  if (id === '' || id.length > LONGEST_ID || CONTROL.test(id)) return false;
  return id !== '.' && id !== '..' && !(isInPath && /[/\\]/.test(id));
}

/** Whether an answer has status 200, and JSON. */
function isAnswer(status: number, contentType: string): boolean {
  return status === 200 && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);
}

async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (response.body === null) return NO_BODY;
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.byteLength;
    if (length > maxBytes) {
      await reader.cancel();
      throw new TypeError('the answer is too long');
    }
    parts.push(part.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function readJson(body: Uint8Array): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  const value: unknown = JSON.parse(text);
  // Which of two values counts is not known.
  if (countNames(text) !== countMembers(value)) throw new TypeError('a name is repeated');
  return value;
}

/** The number of names in a JSON text. */
function countNames(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:)?/g)) if (colon !== undefined) count += 1;
  return count;
}

/** The number of members of all objects in a value. */
function countMembers(value: unknown): number {
  let count = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== 'object' || part === null) continue;
    const parts = Object.values(part);
    if (!Array.isArray(part)) count += parts.length;
    for (const one of parts) pending.push(one);
  }
  return count;
}

/** The names of a JSON pointer (RFC 6901). */
function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new TypeError(`\`${pointer}\` is not a JSON pointer: begin with \`/\``);
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The value at a pointer; undefined if a member is missing, `INVALID` if there is something else than an object. */
function readPointer(value: unknown, names: readonly string[]): unknown {
  let current = value;
  for (const name of names) {
    if (current === undefined) return undefined;
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return INVALID;
    current = Object.hasOwn(current, name) ? (current as { readonly [name: string]: unknown })[name] : undefined;
  }
  return current;
}
