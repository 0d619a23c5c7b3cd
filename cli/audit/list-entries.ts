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
import { descriptorSet } from '../../proto/gen/descriptors.js';
import type { AdminTarget } from './target.js';
import type { EntriesRequest } from './entries-request.js';

/** An entry has at most so many bytes; a server keeps far smaller ones. */
const MAX_ENTRY = 64 * 1024 * 1024;
/**
 * How long a server may take until it begins to answer, in milliseconds; after that, pings find out whether it is still
 * there.
 */
const PATIENCE = 20_000;

/**
 * The entries that a server has of its audit log, in their JSON form, as they come: none is kept. Throws an Error that
 * says what the server answers, or why there is no answer. The connection is closed in the end, whatever happens.
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
      return `the server answers: ${details} (code ${code}); the admin API and an audit backend that can be queried must be enabled there`;
    default:
      return `the server answers: ${details} (code ${code})`;
  }
}

/**
 * Of `No connection established. Last error: Error: connect ECONNREFUSED ::1:1. Resolution note: `, what there is to
 * know.
 */
function reasonIn(details: string): string {
  return details
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\.? Resolution note: ?$/, '');
}
