/** Throws: the caller's finding can only be a bug of the compiler, never a mistake of an author. */
export function invariant(what: string): never {
  throw new Error(`authzc has a bug: ${what}`);
}
