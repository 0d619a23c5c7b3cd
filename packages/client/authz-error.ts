/** Why a call failed, as a code of Connect; those of gRPC are the same, with numbers. */
export type AuthzErrorCode = (typeof CODES)[number];

/** The only error that a client rejects with. If it comes from a server, the message is the server's. */
export class AuthzError extends Error {
  override readonly name = 'AuthzError';

  constructor(
    readonly code: AuthzErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The code of a gRPC number; `unknown` for any other number. */
export function codeOfNumber(number: unknown): AuthzErrorCode {
  return (typeof number === 'number' ? CODES[number - 1] : undefined) ?? 'unknown';
}

/** The code of a word; undefined for any other word. */
export function codeOfWord(word: unknown): AuthzErrorCode | undefined {
  return CODES.find((code) => code === word);
}

/**
 * The code for an HTTP status, for responses without further details: proxies in front of a server often send those.
 */
export function codeOfStatus(status: number): AuthzErrorCode {
  switch (status) {
    case 400:
      return 'internal';
    case 401:
      return 'unauthenticated';
    case 403:
      return 'permission_denied';
    case 404:
      return 'unimplemented';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    default:
      return 'unknown';
  }
}

/** Codes in the order of their gRPC numbers, from 1. */
const CODES = [
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const;
