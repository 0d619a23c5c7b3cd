/** A column, or related rows, of a mapping. Programs without types can write any word. */
interface Stored {
  readonly null?: unknown;
  readonly relation?: unknown;
  readonly nested?: unknown;
  readonly attributes?: object;
  readonly value?: object;
}

/**
 * Checks the words of a mapping for NULL when an adapter is created. A word that is not known would be read as `missing`,
 * and a denial that tests for null would deny nothing.
 *
 * @throws {TypeError} for a word that a column does not have, or for `null` of related rows, which are missing.
 */
export function requireAbsences(attributes: object, before = 'R.attr.'): void {
  for (const [attribute, stored] of Object.entries(attributes as { readonly [attribute: string]: string | Stored })) {
    if (typeof stored !== 'object') continue;
    requireAbsence(stored, before + attribute);
    if (stored.attributes !== undefined) requireAbsences(stored.attributes, `${before}${attribute}.`);
    if (stored.value !== undefined) requireAbsence(stored.value, before + attribute);
  }
}

/** Checks the word of one attribute. Throws a TypeError. */
export function requireAbsence({ null: word, relation, nested }: Stored, attribute: string): void {
  const words = relation === undefined && nested === undefined ? ['missing', 'null', 'never'] : ['missing', 'never'];
  if (word === undefined || words.includes(word as string)) return;
  const list = words.map((each) => `\`'${each}'\``).join(' or ');
  throw new TypeError(
    word === 'null'
      ? `\`null: 'null'\` of \`${attribute}\`: check must receive no attribute where there is no related row. Write ${list}`
      : `\`null\` of \`${attribute}\` is \`${JSON.stringify(word)}\`. Write ${list}`,
  );
}
