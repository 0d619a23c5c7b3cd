import { type Doc, hardLine, indent, join } from './doc.js';

/** `{ a: 1, b: 2 }`, one property a line; absent ones are left out. */
export function objectDoc(properties: readonly (readonly [name: string, value: Doc | undefined])[]): Doc {
  const present: Doc[] = [];
  for (const [name, value] of properties) {
    if (value !== undefined) present.push(value === name ? `${name},` : [`${name}: `, value, ',']);
  }
  return ['{', indent([hardLine, join(present, hardLine)]), hardLine, '}'];
}
