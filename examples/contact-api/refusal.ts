/** The reason that a request is not served: a status and a message for the caller. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404,
    message: string,
  ) {
    super(message);
  }
}
