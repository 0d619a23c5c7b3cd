import { isDeepStrictEqual } from 'node:util';

/**
 * How a JSON value differs from the one on a page; undefined when it does not. On a page `…` stands for any text or,
 * alone, for any value.
 */
export function difference(actual: unknown, expected: unknown, path = '$'): string | undefined {
  if (expected === '…') return undefined;
  if (typeof expected === 'string' && typeof actual === 'string' && matchesText(actual, expected)) return undefined;
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return firstOf(expected.map((item, index) => difference(actual[index], item, `${path}[${index}]`)));
  }
  if (isObject(expected) && isObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return firstOf(names.map((name) => difference(actual[name], expected[name], `${path}.${name}`)));
  }
  return isDeepStrictEqual(actual, expected)
    ? undefined
    : `${path} is ${JSON.stringify(actual)}, and the page says ${JSON.stringify(expected)}`;
}

/** Whether a text matches the one on a page: `…` stands for any part of a line and, on its own line, for any lines. */
export function matchesText(actual: string, expected: string): boolean {
  const pattern = expected
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '…' ? '[^]*?' : line.trimEnd().split('…').map(escape).join('.*')))
    .join('\n')
    .replaceAll('\n[^]*?', '[^]*?');
  return new RegExp(`^${pattern}$`).test(actual.trimEnd().replace(/[ \t]+$/gm, ''));
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
