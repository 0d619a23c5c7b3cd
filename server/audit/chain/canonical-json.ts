/**
 * A value as JSON in its canonical form (RFC 8785): no spaces, members in the order of their UTF-16 code units, numbers
 * and strings as `JSON.stringify` writes them. An unpaired surrogate, for which the RFC has no form, is escaped: a
 * caller can send one, and the entry of its call must not be lost.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return listText(value);
  let text = '';
  for (const key of sortedKeys(value)) {
    const member = (value as { readonly [key: string]: unknown })[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function listText(list: readonly unknown[]): string {
  let text = '';
  for (let index = 0; index < list.length; index++) text += `${index === 0 ? '' : ','}${canonicalJson(list[index])}`;
  return `[${text}]`;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort();
  }
  return keys;
}

/**
 * A string as `JSON.stringify` writes it. Most strings of an entry are short and need no escape, and its call takes longer
 * than finding that out.
 */
export function quoted(text: string): string {
  return text.length <= LONGEST_TESTED && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const LONGEST_TESTED = 100;
const PLAIN = /^[ !#-[\]-~]*$/;
