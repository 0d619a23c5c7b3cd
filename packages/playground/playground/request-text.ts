import type { Json } from '../json.js';

/** The columns of half a screen; a longer value has a line for each of its members. */
const WIDTH = 64;

/** A request as people write it: values that fit on a line are on one. */
export function requestText(request: Json): string {
  return `${written(request, '', 0)}\n`;
}

/** @param used the columns that are taken on the first line. */
function written(value: Json, indent: string, used: number): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null || (indent !== '' && indent.length + used + line.length <= WIDTH))
    return line;
  const inner = `${indent}  `;
  const parts: readonly string[] = Array.isArray(value)
    ? value.map((item: Json) => written(item, inner, 0))
    : Object.entries(value).map(([name, item]) => {
        const key = `${JSON.stringify(name)}: `;
        return key + written(item as Json, inner, key.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return parts.length === 0 ? line : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function onOneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${onOneLine(item as Json)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
