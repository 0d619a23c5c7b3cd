/** Attributes of a mapping, of which any may be related rows. */
interface Attributes {
  readonly [attribute: string]: string | { readonly closure?: unknown; readonly attributes?: Attributes };
}

/**
 * Checks a mapping for a library whose filters have no recursive queries, when an adapter is created.
 * @throws {TypeError} for an attribute with a `closure`.
 */
export function refuseClosures(attributes: object, library: string, before = 'R.attr.'): void {
  for (const [attribute, stored] of Object.entries(attributes as Attributes)) {
    if (typeof stored !== 'object') continue;
    if (stored.closure !== undefined)
      throw new TypeError(
        `\`closure\` of \`${before}${attribute}\`: filters of ${library} have no recursive queries. Store the ids of all folders above a row in the row, or list with an adapter for SQL`,
      );
    if (stored.attributes !== undefined) refuseClosures(stored.attributes, library, `${before}${attribute}.`);
  }
}
