import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, type ServiceError, status } from '@grpc/grpc-js';
import { descriptorSet } from '../../../proto/gen/descriptors.js';
import { timestampOf } from '../../../proto/wire/moment.js';
import { parseDuration } from '../../../server/config/duration.js';
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
/** Of a google.protobuf.Duration, in milliseconds: ten thousand years. */
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
  if (between !== undefined) return { ...head, between: rangeOf(between, now) };
  if (since !== undefined) return { ...head, since: durationOf(since) };
  if (lookup !== undefined) return { ...head, lookup: callIdOf(lookup) };
  return { ...head, tail: countOf(tail) };
}

/** In the JSON form of protobuf. */
export type EntriesRequest = { readonly kind: string } & (
  | { readonly tail: number }
  | { readonly between: { readonly start: string; readonly end: string } }
  | { readonly since: string }
  | { readonly lookup: string }
);

function countOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TAIL;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new UsageError(`\`--tail\` must be a number from 1 to ${MOST}, not \`${text}\``);
  return count;
}

function rangeOf(text: string, now: number): { readonly start: string; readonly end: string } {
  const [start = '', end = new Date(now).toISOString(), ...more] = text.split(',').map((moment) => moment.trim());
  if (more.length > 0) throw new UsageError('`--between` takes a start and an end');
  for (const moment of [start, end]) {
    if (timestampOf(moment) === undefined)
      throw new UsageError(`\`--between\` must be timestamps such as \`2026-01-31T08:00:00Z\`, not \`${moment}\``);
  }
  return { start, end };
}

function durationOf(text: string): string {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds <= 0 || milliseconds > LONGEST)
    throw new UsageError(`\`--since\` must be a duration such as \`3h\` or \`90m\`, not \`${text}\``);
  return `${Math.floor(milliseconds / 1000)}.${String(Math.floor(milliseconds % 1000)).padStart(3, '0')}s`;
}

function callIdOf(text: string): string {
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
  { address, channel, metadata }: AdminTarget,
  request: EntriesRequest,
  patience: number = PATIENCE,
): AsyncIterable<JsonObject> {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64')));
  const requestType = registry.getMessage('authz.request.v1.ListAuditLogEntriesRequest') as DescMessage;
  const responseType = registry.getMessage('authz.response.v1.ListAuditLogEntriesResponse') as DescMessage;
  const client = new Client(address, channel.credentials, {
    ...channel.options,
    'grpc.max_receive_message_length': MAX_ENTRY,
    'grpc.keepalive_time_ms': PATIENCE,
    'grpc.keepalive_timeout_ms': PATIENCE,
  });
  const encode = (message: JsonValue): Buffer => Buffer.from(toBinary(requestType, fromJson(requestType, message)));
  const decode = (bytes: Buffer): JsonObject =>
    toJson(responseType, fromBinary(responseType, bytes), { registry }) as JsonObject;
  const stream = client.makeServerStreamRequest(METHOD, encode, decode, request as JsonValue, metadata);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.cancel();
  }, patience);
  stream.once('metadata', () => clearTimeout(timer));
  try {
    for await (const response of stream as AsyncIterable<JsonObject>) yield entryOf(response);
  } catch (error) {
    if (isLate) throw new Error(`no answer in ${patience} ms`, { cause: error });
    throw isServiceError(error) ? new Error(textOf(error), { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    stream.cancel();
    client.close();
  }
}

const ENABLE_ADMIN_API = 'enable its admin API, and an audit backend that can be queried';

const METHOD = '/authz.svc.v1.AuthzAdminService/ListAuditLogEntries';

function entryOf(response: JsonObject): JsonObject {
  const entry = response['accessLogEntry'] ?? response['decisionLogEntry'];
  return typeof entry === 'object' && entry !== null ? (entry as JsonObject) : {};
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error;
}

function textOf({ code, details }: ServiceError): string {
  switch (code) {
    case status.UNAVAILABLE:
      return `the server cannot be reached: ${reasonIn(details)}`;
    case status.UNIMPLEMENTED:
      return `the server responded: ${details} (code ${code}); ${ENABLE_ADMIN_API}`;
    default:
      return `the server responded: ${details} (code ${code})`;
  }
}

/**
 * Extracts the reason from `No connection established. Last error: Error: connect ECONNREFUSED ::1:1. Resolution note:
 * `.
 */
function reasonIn(details: string): string {
  return details
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\.? Resolution note: ?$/, '');
}
