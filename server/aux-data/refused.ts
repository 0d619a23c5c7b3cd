/**
 * A token that is not accepted. The message is the reason, for the log: the caller is never told
 * (docs/spec/server.md#refused-tokens), and no part of the token is in it.
 */
export class TokenRefused extends Error {}
