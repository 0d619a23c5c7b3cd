import type { CST, Pair } from 'yaml';
import { eachItem } from './tokens.js';

/**
 * Keys that were written with a tag: a key has none (docs/spec/policy-language.md#keys). Entries go with their
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
    if (dropTags(item.start) && (item.sep !== undefined || item.key !== undefined)) taggedKeys.add(item);
    if (item.sep) dropTags(item.sep);
    if (item.value?.type === 'block-scalar') dropTags(item.value.props);
  });
}

/** Whether the key of this entry was written with a tag. */
export function hasTaggedKey({ srcToken }: Pair<unknown, unknown>): boolean {
  return srcToken !== undefined && taggedKeys.has(srcToken);
}

/** Returns whether there was one. In one pass: hostile input is nothing but tags. */
function dropTags(tokens: { readonly type: string }[]): boolean {
  let kept = 0;
  for (const token of tokens) if (token.type !== 'tag') tokens[kept++] = token;
  const hadTags = kept < tokens.length;
  tokens.length = kept;
  return hadTags;
}
