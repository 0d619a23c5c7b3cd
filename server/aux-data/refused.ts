/** A token that is not accepted. The message is the reason, for the log: the caller is never told (server.md 3.5), and no part of the token is in it. */
export class TokenRefused extends Error {}
