import { isDeepStrictEqual } from 'node:util';

/**
 * Why a JSON value is not the one a page shows; undefined when it is. In a page `…` stands for any text, or, alone, for
 * any value.
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

/** Whether a text is the one a page shows: `…` stands for any part of a line, a line of its own for any lines. */
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
