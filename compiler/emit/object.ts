import { braced, type Doc, hardLine, indent, join } from './doc.js';

type Properties = readonly (readonly [name: string, value: Doc | undefined])[];

/** `{ a: 1, b: 2 }`, one property per line; absent ones are omitted. */
export function objectDoc(properties: Properties): Doc {
  const lines = present(properties).map((property): Doc => [property, ',']);
  return ['{', indent([hardLine, join(lines, hardLine)]), hardLine, '}'];
}

/** The same on one line where it fits. */
export function shortObjectDoc(properties: Properties): Doc {
  return braced(present(properties));
}

function present(properties: Properties): readonly Doc[] {
  return properties.flatMap(([name, value]): readonly Doc[] => {
    if (value === undefined) return [];
    return value === name ? [name] : [[`${name}: `, value]];
  });
}
