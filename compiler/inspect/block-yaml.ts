import { visibleJson } from '../diagnostics/visible.js';

/**
 * A value of JSON as YAML in blocks. Keys and scalars are JSON, which is YAML as well: what looks like a number, a date
 * or a word of YAML stays the text it is.
 */
export function blockYaml(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`;
}

function linesOf(value: unknown): readonly string[] {
  const entries = entriesOf(value);
  if (entries.length === 0) return [visibleJson(value)];
  return entries.flatMap(([mark, entry]) => {
    const lines = linesOf(entry);
    const isBlock = entriesOf(entry).length > 0;
    if (!isBlock) return [`${mark} ${lines[0]}`];
    // The first entry of an item stands on the line of its dash.
    if (mark === '-') return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);
    return [mark, ...lines.map((line) => `  ${line}`)];
  });
}

/** What stands in a block of its own: each entry with its dash or its key. */
function entriesOf(value: unknown): readonly (readonly [mark: string, entry: unknown])[] {
  if (Array.isArray(value)) return value.map((entry) => ['-', entry]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, entry]) => [`${keyOf(key)}:`, entry]);
}

function keyOf(key: string): string {
  return PLAIN_KEYS.test(key) ? key : visibleJson(key);
}

/** The names of fields; none of them is a word of YAML. */
const PLAIN_KEYS =
  /^(?:results|policyId|file|disabled|actions|attributes|derivedRoles|variables|constants|name|kind|source|value|used)$/;
