/** Throws: what the caller found can only be a bug of ours, never something an author wrote. */
export function invariant(what: string): never {
  throw new Error(`authzc has a bug: ${what}`);
}
