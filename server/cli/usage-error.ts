/** Arguments that make no sense. */
export class UsageError extends Error {}
