import type { CST } from 'yaml';
import { eachItem } from './tokens.js';

/**
 * The quoted-string trap (docs/spec/policy-language.md#quoted-strings): offsets of the quotes of block-style values
 * that begin with a quoted string and go on after it on the same line, as in `expr: "GB" in R.attr.geo`. Sorted.
 */
export function quotedPrefixes(text: string, tokens: readonly CST.Token[]): readonly number[] {
  if (/^\s*\{/.test(text)) return [];
  const offsets: number[] = [];
  eachItem(tokens, (item, parent) => {
    if (parent.type !== 'block-map' || !item.value) return;
    const offset = quotedPrefixOf(item.value);
    if (offset !== undefined) offsets.push(offset);
  });
  return offsets.sort((a, b) => a - b);
}

function quotedPrefixOf(value: CST.Token): number | undefined {
  if (isQuoted(value)) return goesOn(value.end) ? value.offset : undefined;
  // `"x" == y ? "a": b` reads as a mapping whose key begins with a quoted string.
  if (value.type !== 'block-map') return undefined;
  const first = value.items[0];
  if (first?.key && isQuoted(first.key) && first.sep?.some((token) => isScalarToken(token))) return first.key.offset;
  return undefined;
}

function isQuoted(token: CST.Token): token is CST.FlowScalar {
  return token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar';
}

function goesOn(end: readonly CST.Token[] | undefined): boolean {
  const next = end?.find((token) => token.type !== 'space');
  return next !== undefined && next.type !== 'newline' && next.type !== 'comment';
}

// The tokeniser leaves a stray scalar among the separators, whatever its types say.
function isScalarToken(token: { readonly type: string }): boolean {
  return token.type === 'scalar';
}
