import type { Call } from '../../service/call.js';
import type { CallEnd, Watcher } from '../../service/watcher.js';
import { codeNameOf, isHousekeeping, isServerFault, methodNameOf } from '../call-names.js';
import type { Logger } from './logger.js';
import { TimestampWriter } from './timestamp.js';

/**
 * Writes a line for every call (docs/spec/server.md#logs), when it has ended. A caller's error is no error of the
 * server: only faults of the server are at `error`. Members are put together as text, since this is all that most lines
 * of a log are (tests/observe/cost.ts).
 */
export function callLog(logger: Logger): Watcher {
  const timestamps = new TimestampWriter();
  // Not a WeakMap: with that the collector takes longer than all the rest (tests/observe/cost.ts).
  const requestIds = new Map<Call, string>();
  const prefixes = new Map<string, string>();
  const prefixOf = (method: string): string => {
    const known = prefixes.get(method);
    if (known !== undefined) return known;
    const prefix = methodMembers(method);
    if (prefixes.size < MAX_METHODS) prefixes.set(method, prefix);
    return prefix;
  };
  const remember = (call: Call, requestId: string): void => {
    if (requestId === '' || !logger.writes('info')) return;
    // Calls whose end is never told would fill the memory.
    if (requestIds.size >= MAX_CALLS) requestIds.clear();
    requestIds.set(call, requestId);
  };
  return {
    checked: (call, { requestId }) => remember(call, requestId),
    planned: (call, { request }) => remember(call, request.requestId),
    ended: (call, end) => {
      const requestId = requestIds.get(call);
      if (requestId !== undefined) requestIds.delete(call);
      // What fails before it has an id was malformed, which gRPC calls internal; a bug is told of beside its call.
      const level = isServerFault(end.code) && call.id !== '' ? 'error' : 'info';
      if (isHousekeeping(call) || !logger.writes(level)) return;
      const members = prefixOf(call.method) + peerMembers(call) + endMembers(call, end, timestamps);
      logger.members(
        level,
        'Handled request',
        requestId === undefined ? members : `${members},"grpc.request.meta.request_id":${JSON.stringify(requestId)}`,
      );
    },
  };
}

/** More than there are RPCs. */
const MAX_METHODS = 64;
/** More than are under way at once. */
const MAX_CALLS = 10_000;

function methodMembers(name: string): string {
  const { service, method } = methodNameOf(name);
  return `"grpc.service":${JSON.stringify(service)},"grpc.method":${JSON.stringify(method)},"grpc.method_type":"unary"`;
}

function peerMembers(call: Call): string {
  const { address, forwardedFor } = call.peer();
  const forwarded = forwardedFor === '' ? '' : `,"http.x_forwarded_for":${JSON.stringify(forwardedFor)}`;
  return `,"authz.protocol":"${call.protocol}","peer.address":${JSON.stringify(address)}${forwarded}${forwardedHost(call, forwardedFor)}`;
}

/**
 * Headers are dear to look at: a proxy that names the host names the caller too, before whom HTTP calls name their
 * peer.
 */
function forwardedHost(call: Call, forwardedFor: string): string {
  const isForwarded = call.protocol === 'grpc' ? forwardedFor !== '' : forwardedFor.includes(',');
  const hosts = isForwarded ? call.metadata().get('x-forwarded-host') : undefined;
  return hosts === undefined ? '' : `,"http.x_forwarded_host":${JSON.stringify(hosts.join(', '))}`;
}

function endMembers(call: Call, { code, message }: CallEnd, timestamps: TimestampWriter): string {
  const id = call.id === '' ? '' : `,"authz.call_id":"${call.id}"`;
  const milliseconds = Math.round((performance.now() - call.start) * 1000) / 1000;
  const error = message === '' ? '' : `,"grpc.error":${JSON.stringify(message)}`;
  return `${id},"grpc.start_time":"${timestamps.write(call.timestamp)}","grpc.time_ms":${milliseconds},"grpc.code":"${codeNameOf(code)}"${error}`;
}
