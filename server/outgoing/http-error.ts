/** Why there is no complete response. */
export type HttpFailure = 'unreachable' | 'timeout' | 'tls' | 'redirect' | 'too_large' | 'truncated' | 'protocol';

/** A request without a complete response. The message is fit for the log: no credentials, nothing of a body. */
export class HttpError<Failure extends string = HttpFailure> extends Error {
  override readonly name: string = 'HttpError';

  /** @param headers those of a response whose body is too large. */
  constructor(
    readonly reason: Failure,
    message: string,
    readonly headers?: { readonly [name: string]: string },
  ) {
    super(message);
  }
}
