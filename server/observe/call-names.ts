import type { Call, Protocol } from '../service/call.js';
import { CODES, type Code } from '../service/rpc-error.js';

/** The parts of `/authz.svc.v1.AuthzService/CheckResources`. */
export interface MethodName {
  readonly service: string;
  readonly method: string;
}

/** The name of a call's RPC, in parts. */
export function splitMethod(method: string): MethodName {
  const slash = method.lastIndexOf('/');
  return { service: method.slice(1, Math.max(slash, 1)), method: method.slice(slash + 1) };
}

/** The name of a code as gRPC's own libraries write it, `InvalidArgument`; `OK` when all was well. */
export function nameCode(code: Code | undefined): string {
  return code === undefined ? 'OK' : (CODE_NAMES.get(code) as string);
}

const CODE_NAMES: ReadonlyMap<Code, string> = new Map(
  (Object.keys(CODES) as Code[]).map((code) => [
    code,
    code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ]),
);

/** The same in OpenTelemetry's words: `INVALID_ARGUMENT`. */
export function nameStatus(code: Code | undefined): string {
  if (code === 'canceled') return 'CANCELLED';
  return code === undefined ? 'OK' : code.toUpperCase();
}

/** Whether a failure is the server's: only then it is an error in the log and in a trace. */
export function isServerFault(code: Code | undefined): boolean {
  return code === 'internal' || code === 'unknown' || code === 'data_loss';
}

/**
 * Whether the call is about the server itself, not about a decision: it is neither logged nor traced
 * (docs/spec/server.md#health, docs/spec/server.md#opentelemetry).
 */
export function isHousekeeping({ method }: Pick<Call, 'method'>): boolean {
  return method.startsWith('/grpc.');
}

/** What OpenTelemetry calls the protocol of an RPC; undefined for REST, which is plain HTTP. */
export function nameRpcSystem(protocol: Protocol): string | undefined {
  switch (protocol) {
    case 'rest':
      return undefined;
    case 'connect':
      return 'connectrpc';
    case 'grpc':
    case 'grpc-web':
      return 'grpc';
  }
}

/** The HTTP method of a call. Only REST has others than POST, and each RPC is reached by one. */
export function nameHttpMethod(protocol: Protocol, method: string): string {
  return protocol === 'rest' && READS.has(method.slice(method.lastIndexOf('/') + 1)) ? 'GET' : 'POST';
}

/** The RPCs that REST clients reach by GET: their requests are empty, or in the path. */
const READS: ReadonlySet<string> = new Set(['ServerInfo', 'Metadata', 'ListAuditLogEntries']);
