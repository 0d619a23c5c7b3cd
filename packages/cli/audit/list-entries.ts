import {
  createFileRegistry,
  type DescMethodServerStreaming,
  fromBinary,
  fromJson,
  type JsonObject,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { createAsyncIterable } from '@connectrpc/connect/protocol';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { descriptorSet } from '../../../proto/gen/descriptors.js';
import { parseTimestamp } from '../../../proto/wire/moment.js';
import { parseDuration } from '../../../server/config/duration.js';
import { ADMIN_SERVICE } from '../../../server/service/services.js';
import { UsageError } from '../exit.js';
import type { AdminTarget } from './target.js';

/** Which entries to list: at most one of the last four options. */
export interface EntriesOptions {
  readonly kind: 'access' | 'decision';
  readonly tail?: string;
  readonly between?: string;
  readonly since?: string;
  readonly lookup?: string;
}

/** The number of lines that most terminals show at once. */
const DEFAULT_TAIL = 30;
/** The maximum of the server (docs/spec/server.md#validation). */
const MOST = 1000;
/** The longest google.protobuf.Duration, in milliseconds: ten thousand years. */
const LONGEST = 315_576_000_000_000;

/**
 * The ListAuditLogEntriesRequest of the options, in its JSON form (docs/spec/server.md#audit). Throws a UsageError for
 * an invalid filter, and for two filters.
 *
 * @param now in milliseconds since 1970: where a time without an end ends.
 */
export function entriesRequest({ kind, tail, between, since, lookup }: EntriesOptions, now: number): EntriesRequest {
  const given = [tail, between, since, lookup].filter((filter) => filter !== undefined);
  if (given.length > 1) throw new UsageError('`--tail`, `--between`, `--since` and `--lookup` are mutually exclusive');
  const head = { kind: kind === 'access' ? 'KIND_ACCESS' : 'KIND_DECISION' };
  if (between !== undefined) return { ...head, between: parseRange(between, now) };
  if (since !== undefined) return { ...head, since: toMilliseconds(since) };
  if (lookup !== undefined) return { ...head, lookup: parseCallId(lookup) };
  return { ...head, tail: parseCount(tail) };
}

/** A request in the JSON form of protobuf. */
export type EntriesRequest = { readonly kind: string } & (
  | { readonly tail: number }
  | { readonly between: { readonly start: string; readonly end: string } }
  | { readonly since: string }
  | { readonly lookup: string }
);

function parseCount(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TAIL;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new UsageError(`\`--tail\` must be a number from 1 to ${MOST}, not \`${text}\``);
  return count;
}

function parseRange(text: string, now: number): { readonly start: string; readonly end: string } {
  const [start = '', end = new Date(now).toISOString(), ...more] = text.split(',').map((moment) => moment.trim());
  if (more.length > 0) throw new UsageError('`--between` takes a start and an end');
  for (const moment of [start, end]) {
    if (parseTimestamp(moment) === undefined)
      throw new UsageError(`\`--between\` must be timestamps such as \`2026-01-31T08:00:00Z\`, not \`${moment}\``);
  }
  return { start, end };
}

function toMilliseconds(text: string): string {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds <= 0 || milliseconds > LONGEST)
    throw new UsageError(`\`--since\` must be a duration such as \`3h\` or \`90m\`, not \`${text}\``);
  return `${Math.floor(milliseconds / 1000)}.${String(Math.floor(milliseconds % 1000)).padStart(3, '0')}s`;
}

function parseCallId(text: string): string {
  if (!/^[0-9A-HJKMNP-TV-Z]{26}$/.test(text))
    throw new UsageError(
      `\`--lookup\` must be a call id, 26 letters and digits such as \`01HHENANTHFD3DV3HZGDKB87PJ\`, not \`${text}\``,
    );
  return text;
}

/** Maximum size of an entry in bytes; a server keeps far smaller ones. */
const MAX_ENTRY = 64 * 1024 * 1024;
/**
 * How long a server may take until it starts to respond, in milliseconds; after that, pings detect whether it is still
 * reachable.
 */
const PATIENCE = 20_000;

/**
 * Streams the audit log entries of a server in their JSON form. Throws an Error with the response of the server, or the
 * reason why there is none. Closes the connection in any case.
 *
 * @param patience in milliseconds.
 */
export async function* listEntries(
  { url, connection, headers }: AdminTarget,
  request: EntriesRequest,
  patience: number = PATIENCE,
): AsyncIterable<JsonObject> {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64')));
  const method = registry.getService(ADMIN_SERVICE)?.method['listAuditLogEntries'] as DescMethodServerStreaming;
  const pings = { pingIntervalMs: PATIENCE, pingTimeoutMs: PATIENCE };
  const sessionManager = new Http2SessionManager(url, pings, connection);
  const transport = createGrpcTransport({ baseUrl: url, sessionManager, readMaxBytes: MAX_ENTRY });
  const requests = createAsyncIterable([fromJson(method.input, request as JsonObject)]);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  try {
    const { message: responses } = await transport.stream(method, late.signal, undefined, headers, requests);
    clearTimeout(timer);
    for await (const response of responses)
      yield readEntry(toJson(method.output, response, { registry }) as JsonObject);
  } catch (error) {
    if (late.signal.aborted) throw new Error(`no answer in ${patience} ms`, { cause: error });
    throw error instanceof ConnectError ? new Error(formatError(error), { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    sessionManager.abort();
  }
}

const ENABLE_ADMIN_API = 'enable its admin API, and an audit backend that can be queried';

function readEntry(response: JsonObject): JsonObject {
  const entry = response['accessLogEntry'] ?? response['decisionLogEntry'];
  return typeof entry === 'object' && entry !== null ? (entry as JsonObject) : {};
}

function formatError({ code, rawMessage, cause }: ConnectError): string {
  // Errors of Node have codes: of a socket, of TLS, or of HTTP/2.
  if (cause instanceof Error && 'code' in cause) return `the server cannot be reached: ${readReason(cause)}`;
  const answer = `the server responded: ${rawMessage} (code ${code})`;
  return code === Code.Unimplemented ? `${answer}; ${ENABLE_ADMIN_API}` : answer;
}

/** Several addresses of a host make an error without a message, which has one for each. */
function readReason(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(({ message }: Error) => message).join(', ') : error.message;
}
