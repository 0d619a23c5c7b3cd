/** Texts up to this length are looked through here; beyond it the platform's own way is quicker. */
const SHORT_TEXT = 48;

/** A text as a JSON string. Escapes only what JSON demands (server.md 1.4). */
export function quote(text: string): string {
  if (text.length > SHORT_TEXT) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** A value as JSON: map keys sorted, negative zero as `-0`. Undefined when a number in it is not finite, which JSON cannot say. */
export function printValue(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null || typeof value !== 'object') return 'null';
  return Array.isArray(value) ? printList(value) : printMap(value as { readonly [key: string]: unknown });
}

function printNumber(value: number): string | undefined {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return undefined;
}

function printList(list: readonly unknown[]): string | undefined {
  const items: string[] = [];
  for (const item of list) {
    const text = printValue(item);
    if (text === undefined) return undefined;
    items.push(text);
  }
  return `[${items.join(',')}]`;
}

function printMap(map: { readonly [key: string]: unknown }): string | undefined {
  const entries: string[] = [];
  for (const key of Object.keys(map).sort()) {
    const text = printValue(map[key]);
    if (text === undefined) return undefined;
    entries.push(`${quote(key)}:${text}`);
  }
  return `{${entries.join(',')}}`;
}
