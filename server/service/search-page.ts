import { createHash } from 'node:crypto';
import type { Action, Resource, SearchPage, Subject, WantedPage } from '../../proto/gen/authzen-messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { refused, RpcError } from './rpc-error.js';

/** What the pages of one search have in common: a token of another search is refused. */
export interface PagedSearch {
  readonly of: 'subject' | 'resource' | 'action';
  readonly subject: Partial<Subject>;
  readonly resource: Partial<Resource>;
  readonly action?: Action | undefined;
  /** What conditions see of the context: tokens may be new ones on each page. */
  readonly context: Attributes | undefined;
}

/** The longest token. A page whose last id makes a longer one fails. */
const MAX_TOKEN = 16_384;
const DIGEST_BYTES = 16;

/** The name or id after which a page begins; undefined for the first page. Throws an RpcError for a token of another search. */
export function readToken(page: WantedPage | undefined, search: PagedSearch): string | undefined {
  const token = page?.token ?? '';
  if (token === '') return undefined;
  const bytes = Buffer.from(token.slice(0, MAX_TOKEN + 1), 'base64url');
  const last = bytes.subarray(DIGEST_BYTES).toString('utf8');
  if (last === '' || token.length > MAX_TOKEN || tokenAfter(last, search) !== token)
    throw refused('`page.token` does not belong to this request');
  return last;
}

/** What a response says of its page: the token of the next one, if there are more results. Throws an RpcError for an id that is too long. */
export function printPage(
  page: WantedPage | undefined,
  search: PagedSearch,
  last: string | undefined,
): SearchPage | undefined {
  if (last === undefined) return page === undefined ? undefined : { nextToken: '' };
  const nextToken = tokenAfter(last, search);
  if (nextToken.length > MAX_TOKEN)
    throw new RpcError('failed_precondition', 'the last id of the page is too long for a token');
  return { nextToken };
}

/**
 * A token has no secret: it only says where to go on, and what is allowed is decided for each page. It never expires, and any
 * server with the same rows accepts it.
 */
function tokenAfter(last: string, search: PagedSearch): string {
  return Buffer.concat([digest(search), Buffer.from(last, 'utf8')]).toString('base64url');
}

function digest({ of, subject, resource, action, context }: PagedSearch): Buffer {
  const text = JSON.stringify([of, subject, resource, action ?? null, context ?? null], sortMembers);
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES);
}

/** Members of an object have no order, neither in JSON nor in protobuf. */
function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
