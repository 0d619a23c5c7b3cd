import type { CST, Pair } from '../../../packages/yaml-input/index.js';

/** Visits every item of every collection without recursion, in no particular order. */
function eachItem(tokens: readonly CST.Token[], visit: (item: CST.CollectionItem, parent: CST.Token) => void): void {
  const open = [...tokens];
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (token.type === 'document' && token.value !== undefined) open.push(token.value);
    if (!('items' in token)) continue;
    for (const item of token.items as readonly CST.CollectionItem[]) {
      visit(item, token);
      if (item.key) open.push(item.key);
      if (item.value) open.push(item.value);
    }
  }
}

/**
 * Keys written with a tag, which is not allowed (docs/spec/policy-language.md#keys). Entries are collected with their
 * documents.
 */
const taggedKeys = new WeakSet<object>();

/**
 * Removes the tags of a document: on values they are ignored and never convert (docs/spec/policy-language.md#keys), but
 * the YAML package would resolve them.
 */
export function stripTags(token: CST.Token): void {
  if (token.type === 'document') dropTags(token.start);
  eachItem([token], (item) => {
    keepTag(item);
    if (dropTags(item.start) && (item.sep !== undefined || item.key !== undefined)) taggedKeys.add(item);
    if (item.sep) dropTags(item.sep);
    if (item.value?.type === 'block-scalar') dropTags(item.value.props);
  });
}

/** The tags of values, by the token of the value or, if there is none, of its entry. */
const tags = new WeakMap<object, string>();

function keepTag(item: CST.CollectionItem): void {
  const { start, sep, value } = item;
  const props = value?.type === 'block-scalar' ? value.props : [];
  for (const token of [...(sep ?? start), ...props])
    if (token.type === 'tag') tags.set(value ?? item, (token as CST.SourceToken).source);
}

/** The tag with which a value was written: that of its token or, if it is empty, of the entry that has none. */
export function findTag(token: object | undefined): string | undefined {
  return token === undefined ? undefined : tags.get(token);
}

/** Whether the key of this entry was written with a tag. */
export function hasTaggedKey({ srcToken }: Pair<unknown, unknown>): boolean {
  return srcToken !== undefined && taggedKeys.has(srcToken);
}

/** Returns whether there was a tag. Runs in one pass, because hostile input may consist only of tags. */
function dropTags(tokens: { readonly type: string }[]): boolean {
  let kept = 0;
  for (const token of tokens) if (token.type !== 'tag') tokens[kept++] = token;
  const hadTags = kept < tokens.length;
  tokens.length = kept;
  return hadTags;
}

/**
 * A character that looks like a space but is not white space in YAML, which allows only spaces, tabs and line breaks:
 * it would silently become part of a name.
 */
export interface FalseBlank {
  readonly offset: number;
  readonly character: string;
}

/**
 * Finds the first false blank that is next to a bracket or comma of a flow collection, or that makes up a whole value:
 * `[admin<U+00A0>]` would be a role that no principal has. Elsewhere, as between two words of a description, and in
 * quotes, such characters are allowed.
 */
export function falseBlank(text: string, tokens: readonly CST.Token[]): FalseBlank | undefined {
  if (!ANYWHERE.test(text)) return undefined;
  let first: FalseBlank | undefined;
  eachItem(tokens, (item, parent) => {
    for (const token of [item.key, item.value]) {
      if (token?.type !== 'scalar') continue;
      const found = blankIn(token, parent.type === 'flow-collection');
      if (found !== undefined && (first === undefined || found.offset < first.offset)) first = found;
    }
  });
  return first;
}

const FALSE_BLANK = '[\\u0085\\u00a0\\u1680\\u2000-\\u200b\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff]';
const ANYWHERE = new RegExp(FALSE_BLANK);
const AT_START = new RegExp(`^${FALSE_BLANK}`);
const AT_END = new RegExp(`${FALSE_BLANK}$`);
const NOTHING_ELSE = new RegExp(`^(?:${FALSE_BLANK}|[ \\t\\r\\n])+$`);

function blankIn({ source, offset }: CST.FlowScalar, isInFlow: boolean): FalseBlank | undefined {
  if (!isInFlow && !NOTHING_ELSE.test(source)) return undefined;
  if (AT_START.test(source)) return { offset, character: source.charAt(0) };
  if (AT_END.test(source)) return { offset: offset + source.length - 1, character: source.charAt(source.length - 1) };
  return undefined;
}

/**
 * The quoted-string trap (docs/spec/policy-language.md#quoted-strings): offsets of the quotes of block-style values
 * that begin with a quoted string and continue after it on the same line, as in `expr: "GB" in R.attr.geo`. Sorted.
 */
export function quotedPrefixes(text: string, tokens: readonly CST.Token[]): readonly number[] {
  if (/^\s*\{/.test(text)) return [];
  const offsets: number[] = [];
  eachItem(tokens, (item, parent) => {
    if (parent.type !== 'block-map' || !item.value) return;
    const offset = findQuotedPrefix(item.value);
    if (offset !== undefined) offsets.push(offset);
  });
  return offsets.sort((a, b) => a - b);
}

function findQuotedPrefix(value: CST.Token): number | undefined {
  if (isQuoted(value)) return goesOn(value.end) ? value.offset : undefined;
  // `"x" == y ? "a": b` parses as a mapping whose key begins with a quoted string.
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

// The tokenizer leaves a stray scalar among the separators, contrary to its types.
function isScalarToken(token: { readonly type: string }): boolean {
  return token.type === 'scalar';
}
