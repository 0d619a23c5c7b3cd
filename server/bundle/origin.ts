import { HttpError } from '../outgoing/http-error.js';

/** A place that bundles come from. */
export interface Origin {
  /** Name for logs and metrics; has no credentials. */
  readonly name: string;
  /**
   * Resolves with what is there now, or says that it is the version that the caller has. Rejects with an OriginError.
   *
   * @param known the version that the caller has, as `fetch` returned it.
   * @param signal ends the request, which then rejects.
   * @param hold if present, the origin may hold the request until there is another version or this signal is aborted,
   *   and then resolves with `unchanged`.
   */
  fetch(known: string | undefined, signal: AbortSignal, hold?: AbortSignal): Promise<Fetched>;
  /** Closes connections. */
  close(): Promise<void>;
}

/** What an origin has. */
export type Fetched = {
  /** Whether the origin holds requests until there is another version: the next one need not wait. */
  readonly holds: boolean;
} & (
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'fetched';
      /** What identifies the version for the next request, such as an ETag. */
      readonly version: string;
      readonly bytes: Uint8Array;
    }
);

/** Why an origin did not return a bundle: the label of a metric. */
const ORIGIN_FAILURES = [
  'unreachable',
  'timeout',
  'tls',
  'credentials',
  'status',
  'redirect',
  'too_large',
  'truncated',
  'digest',
  'protocol',
  'policies',
] as const;

export type OriginFailure = (typeof ORIGIN_FAILURES)[number];

/** An origin did not return a bundle, although it may have answered. The message is fit for the log, as that of an HttpError. */
export class OriginError extends HttpError<OriginFailure> {
  override readonly name = 'OriginError';

  constructor(
    reason: OriginFailure,
    message: string,
    /** How long the origin asks to wait before the next request, in milliseconds. */
    readonly retryAfter?: number,
  ) {
    super(reason, message);
  }
}
