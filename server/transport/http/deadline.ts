import { RpcError } from '../../service/rpc-error.js';

/** How long a caller is willing to wait, in milliseconds; undefined: indefinitely. */
export type Timeout = number | undefined;

/** The header `Grpc-Timeout` of a REST call (docs/spec/server.md#errors). Throws an RpcError for a malformed one. */
export function grpcTimeout(value: string | readonly string[] | undefined): Timeout {
  if (value === undefined) return undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(String(value));
  if (match === null) throw new RpcError('invalid_argument', 'invalid grpc-timeout header');
  return Number(match[1]) * (UNITS[match[2] as keyof typeof UNITS] as number);
}

/** The header `Connect-Timeout-Ms` of a Connect call. Throws an RpcError for a malformed one. */
export function connectTimeout(value: string | readonly string[] | undefined): Timeout {
  if (value === undefined) return undefined;
  if (!/^\d{1,10}$/.test(String(value))) throw new RpcError('invalid_argument', 'invalid connect-timeout-ms header');
  return Number(value);
}

/** Whether a call has taken longer than its caller is willing to wait; `start` is by `performance.now()`. */
export function isLate({ start, timeout }: { readonly start: number; readonly timeout: Timeout }): boolean {
  return timeout !== undefined && performance.now() - start > timeout;
}

/** Throws an RpcError for a call that is late. */
export function checkDeadline(start: number, timeout: Timeout): void {
  if (isLate({ start, timeout })) throw new RpcError('deadline_exceeded', 'context deadline exceeded');
}

const UNITS = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 } as const;
