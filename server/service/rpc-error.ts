import { NONE, type Violations, violationsMessage } from '../../proto/wire/violation.js';

/** Why a call failed, in the words Connect uses; gRPC and HTTP have numbers for them (docs/spec/server.md#errors). */
export type Code = keyof typeof CODES;

/** The gRPC number of each code and the HTTP status that goes with it. */
export const CODES = {
  canceled: { number: 1, httpStatus: 499 },
  unknown: { number: 2, httpStatus: 500 },
  invalid_argument: { number: 3, httpStatus: 400 },
  deadline_exceeded: { number: 4, httpStatus: 504 },
  not_found: { number: 5, httpStatus: 404 },
  already_exists: { number: 6, httpStatus: 409 },
  permission_denied: { number: 7, httpStatus: 403 },
  resource_exhausted: { number: 8, httpStatus: 429 },
  failed_precondition: { number: 9, httpStatus: 400 },
  aborted: { number: 10, httpStatus: 409 },
  out_of_range: { number: 11, httpStatus: 400 },
  unimplemented: { number: 12, httpStatus: 501 },
  internal: { number: 13, httpStatus: 500 },
  unavailable: { number: 14, httpStatus: 503 },
  data_loss: { number: 15, httpStatus: 500 },
  unauthenticated: { number: 16, httpStatus: 401 },
} as const;

/** A failed call, with the code and message for the caller in every protocol. */
export class RpcError extends Error {
  constructor(
    readonly code: Code,
    message: string,
    /** The rules that the request breaks, when that is why. */
    readonly violations: Violations = NONE,
    /** Over REST; the other protocols have that of the code. */
    readonly restStatus: number = CODES[code].httpStatus,
  ) {
    super(message);
  }
}

/** A valid request that a handler turns down. */
export function refused(message: string): RpcError {
  return new RpcError('invalid_argument', message);
}

/** Refuses a request that breaks rules, whose violations these are (docs/spec/server.md#form-of-violations). */
export function refuseViolations(violations: Violations): void {
  if (violations.count > 0) throw new RpcError('invalid_argument', violationsMessage(violations), violations);
}

/** The same error with at most `most` of its violations: the message says how many more there are. */
export function listingAtMost(error: RpcError, most: number): RpcError {
  const { first, count } = error.violations;
  if (first.length <= most) return error;
  const violations = { first: first.slice(0, most), count };
  return new RpcError(error.code, violationsMessage(violations), violations, error.restStatus);
}

/** Reports bugs to the operator of the server. */
export type Report = (problem: string, error: unknown) => void;

/**
 * Converts anything thrown to an error for the caller: an unexpected error is a bug of the server, and its message is
 * only for the operator.
 */
export function toRpcError(thrown: unknown, report: Report): RpcError {
  if (thrown instanceof RpcError) return thrown;
  report('a call failed', thrown);
  return new RpcError('internal', 'Policy check failed');
}

/** The refusal of a request that is larger than `limit` bytes. */
export function tooLarge(size: number | string, limit: number): RpcError {
  return new RpcError('resource_exhausted', `grpc: received message larger than max (${size} vs. ${limit})`);
}
