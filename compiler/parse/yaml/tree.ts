import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from '../../../packages/yaml-input/index.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { Source } from '../../diagnostics/source.js';
import type { Place } from '../../diagnostics/span.js';
import { ParseProblems } from '../problems.js';
import { MAX_DEPTH, MAX_VALUES } from '../limits.js';
import { isMasked, type Mask, NO_MASKS, namesAnchor } from './mask.js';
import type { YamlBroken, YamlEntry, YamlKey, YamlMapping, YamlNode, YamlText } from './node.js';
import { typePlainScalar } from './scalar.js';
import { findTag, hasTaggedKey } from './tokens.js';
import { adviseAliases, adviseAnchor, adviseDepth } from './tree-advice.js';

/** The typed tree of a document and its problems. */
export interface YamlTree {
  readonly root: YamlNode;
  /** Problems with keys, anchors, aliases, merges and limits. */
  readonly problems: ParseProblems;
}

/**
 * Types the scalars of a composed document and resolves its aliases and merges
 * (docs/spec/policy-language.md#anchors-and-merge-keys).
 *
 * @param masks what was taken out of the source because it is not well-formed.
 */
export function buildTree(document: Document.Parsed, source: Source, masks = NO_MASKS): YamlTree {
  const builder: Builder = {
    source,
    masks,
    problems: new ParseProblems(masks.map(({ lines }) => lines)),
    anchors: new Map(),
    copied: 0,
  };
  for (const { after, placeholder, start } of masks) {
    if (after !== undefined) builder.problems.damage.addEnd(after);
    builder.problems.damage.add({ anchor: placeholder ?? start });
  }
  const root = toNode(document.contents ?? invariant('an empty document has no tree'), '$', builder);
  return { root, problems: builder.problems };
}

interface Builder {
  readonly source: Source;
  readonly masks: readonly Mask[];
  readonly problems: ParseProblems;
  readonly anchors: Map<string, YamlNode>;
  /** The number of entries that merges have copied. */
  copied: number;
}

function toNode(node: Node, path: string, builder: Builder): YamlNode {
  if (isAlias(node)) return aliasedNode(node, path, builder);
  if (isMasked(node.range?.[0], builder.masks)) return broken(makePlace(node, path, builder));
  const result = limited(ownNode(node, path, builder), builder);
  if (node.anchor !== undefined) define(node.anchor, result, builder);
  return result;
}

// An anchor is defined only after its node ends, so a node cannot contain itself.
function define(name: string, node: YamlNode, builder: Builder): void {
  if (builder.anchors.has(name))
    builder.problems.note('yaml/duplicate-anchor', node.place, { name }, () => [
      { message: `rename one of the two, and the aliases \`*${name}\` that mean it` },
    ]);
  else builder.anchors.set(name, node);
}

function aliasedNode(alias: Alias, path: string, builder: Builder): YamlNode {
  const target = builder.anchors.get(alias.source);
  if (target !== undefined) return target;
  const place = makePlace(alias, path, builder);
  if (!namesAnchor(alias.source, builder.masks, builder.source))
    builder.problems.note('yaml/unknown-anchor', place, { name: alias.source }, () =>
      adviseAnchor(alias.source, builder.anchors.keys()),
    );
  return broken(place);
}

function ownNode(node: Node, path: string, builder: Builder): YamlNode {
  if (isScalar(node)) return scalarNode(node, path, builder);
  if (isSeq(node)) {
    const items = node.items.map((item, index) => toNode(item as Node, `${path}[${index}]`, builder));
    return { type: 'Sequence', place: makePlace(node, path, builder), ...measureChildren(items), items };
  }
  if (isMap(node)) return mappingNode(node, path, builder);
  return invariant('a YAML node of unknown type');
}

/** A placeholder for a node with a reported problem. */
function broken(place: Place): YamlBroken {
  return { type: 'Broken', place, size: 1, depth: 0 };
}

/** A placeholder for an absent value. */
function nothing(place: Place): YamlText {
  const span = { ...place.span, end: place.span.start };
  return { type: 'Null', text: '', style: 'plain', written: { notation: 'plain', span }, place, size: 1, depth: 0 };
}

// Aliases multiply size and depth, so both are checked at every node, which bounds every walk of the tree.
function limited(node: YamlNode, builder: Builder): YamlNode {
  if (node.depth > MAX_DEPTH) {
    builder.problems.note('yaml/too-deep', node.place, { limit: MAX_DEPTH }, adviseDepth);
    return broken(node.place);
  }
  if (node.size > MAX_VALUES) {
    builder.problems.note('yaml/too-many-values', node.place, { limit: MAX_VALUES }, adviseAliases);
    return broken(node.place);
  }
  return node;
}

function measureChildren(children: readonly YamlNode[]): { size: number; depth: number } {
  let size = 1;
  let depth = 0;
  for (const child of children) {
    size += child.size;
    depth = Math.max(depth, child.depth);
  }
  return { size, depth: depth + 1 };
}

function scalarNode(node: Scalar, path: string, builder: Builder): YamlNode {
  const place = makePlace(node, path, builder);
  // Strings must be well-formed Unicode, but an escape can encode half of a surrogate pair.
  const text = (node.source ?? '').replace(/\p{Surrogate}/gu, '\ufffd');
  const tag = findTag(node.srcToken);
  const extent = { size: 1, depth: 0, ...(tag === undefined ? {} : { tag }) };
  const { start, end } = place.span;
  const written = (notation: 'plain' | 'single' | 'double' | 'block', from: number, to: number) => ({
    notation,
    span: { source: builder.source, start: from, end: to },
  });
  switch (node.type) {
    case 'QUOTE_DOUBLE':
      return {
        type: 'String',
        text,
        style: 'quoted',
        written: written('double', start + 1, end - 1),
        place,
        ...extent,
      };
    case 'QUOTE_SINGLE':
      return {
        type: 'String',
        text,
        style: 'quoted',
        written: written('single', start + 1, end - 1),
        place,
        ...extent,
      };
    case 'BLOCK_LITERAL':
    case 'BLOCK_FOLDED': {
      const content = (node.srcToken as { readonly source: string }).source;
      return {
        type: 'String',
        text,
        style: 'block',
        written: written('block', end - content.length, end),
        place,
        ...extent,
      };
    }
    case 'PLAIN':
    case undefined: {
      const plain = typePlainScalar(text);
      if (plain.type === 'Nan' || plain.type === 'Infinity') return { type: plain.type, place, ...extent };
      return {
        type: plain.type,
        text: plain.text,
        style: 'plain',
        written: written('plain', start, end),
        place,
        ...extent,
      };
    }
  }
  return invariant('a YAML scalar of unknown type');
}

function mappingNode(node: YAMLMap, path: string, builder: Builder): YamlMapping {
  const own: YamlEntry[] = [];
  const merges: Merge[] = [];
  const keys = new Map<string, YamlKey>();
  for (const pair of node.items as readonly Pair<Node, Node>[]) {
    if (isMasked(pair.key.range?.[0], builder.masks)) continue;
    const key = toKey(pair, path, builder.source);
    if (isDuplicate(key, keys, builder)) continue;
    const from = key.type !== 'Tag' && isMergeKey(pair.key) ? mergedEntries(pair, key, builder) : undefined;
    if (from !== undefined) merges.push({ at: own.length, from });
    else own.push({ key, value: entryValue(pair, key, builder) });
  }
  const entries = merges.length === 0 ? own : withMerged(own, merges);
  return {
    type: 'Mapping',
    place: makePlace(node, path, builder),
    ...measureChildren(entries.map(({ value }) => value)),
    entries,
  };
}

/** Reports the second of two keys, whose value is not read. */
function isDuplicate(key: YamlKey, keys: Map<string, YamlKey>, builder: Builder): boolean {
  const previous = keys.get(key.text);
  if (previous === undefined) {
    keys.set(key.text, key);
    return false;
  }
  const { line, column } = builder.source.lineAndColumn(previous.place.anchor);
  builder.problems.note('yaml/duplicate-key', { ...key.place, path: '' }, { key: key.text, line, column }, () => [
    { message: 'remove one of the two, or write their values below one key' },
  ]);
  return true;
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<';
}

function mergedEntries(pair: Pair<Node, Node>, key: YamlKey, builder: Builder): readonly YamlEntry[] {
  const value = entryValue(pair, key, builder);
  if (value.type === 'Broken') {
    builder.problems.damage.add(value.place);
    return [];
  }
  if (value.type === 'Mapping') {
    builder.copied += value.entries.length;
    if (builder.copied <= MAX_VALUES) return value.entries;
    builder.problems.note('yaml/too-many-values', key.place, { limit: MAX_VALUES }, adviseAliases);
    return [];
  }
  if (isAlias(pair.value))
    builder.problems.note(
      'yaml/merge-type',
      makePlace(pair.value, key.place.path, builder),
      { type: value.type },
      () => [
        {
          message:
            'put the anchor at the mapping whose fields are meant, or write the alias as the value of a field: `actions: *actions`',
        },
      ],
    );
  else
    builder.problems.note('yaml/not-an-alias', value.place, {}, () => [
      { message: 'write one alias of a mapping, `<<: *name`, and repeat the fields of others' },
    ]);
  return [];
}

function entryValue(pair: Pair<Node, Node>, key: YamlKey, builder: Builder): YamlNode {
  if (pair.value && !isNothing(pair.value)) return toNode(pair.value, key.place.path, builder);
  // An absent value is located just after the colon, or after the key of a flow mapping entry without a colon.
  const colon = findColon(pair) ?? key.place.span.end - 1;
  const place = {
    span: { source: builder.source, start: colon + 1, end: colon + 1 },
    anchor: colon + 1,
    path: key.place.path,
  };
  const tag = findTag(pair.srcToken);
  const node: YamlText = { ...nothing(place), ...(tag === undefined ? {} : { tag }) };
  const anchor = (pair.value as (Node & { readonly anchor?: string }) | null)?.anchor;
  if (anchor !== undefined) define(anchor, node, builder);
  // What was taken out may have been the value.
  return builder.masks.some(({ after }) => after === colon) ? broken(node.place) : node;
}

function isNothing(value: Node): boolean {
  return isScalar(value) && value.type === 'PLAIN' && value.source === '';
}

function findColon(pair: Pair<Node, Node>): number | undefined {
  return pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')?.offset;
}

function makePlace(node: Node, path: string, builder: Builder): Place {
  const [start, end] = node.range ?? invariant('a YAML node without range');
  const span = { source: builder.source, start, end };
  return { span, anchor: findAnchor(node, start), path };
}

// The anchor of a block mapping is the colon after its first key, that of any other node its first character
// (docs/spec/policy-language.md#reports).
function findAnchor(node: Node, start: number): number {
  if (!isMap(node) || node.flow) return start;
  const first = (node.items as readonly Pair<Node, Node>[])[0];
  return (first && findColon(first)) ?? start;
}

/** Returns the key of an entry of the mapping at `parentPath`, with the path of the entry. */
function toKey(pair: Pair<Node, Node | null>, parentPath: string, source: Source): YamlKey {
  const [start, end] = pair.key.range ?? invariant('a YAML key without range');
  const text = readText(pair.key, source);
  const place = { span: { source, start, end }, anchor: start, path: `${parentPath}.${pathSegment(text)}` };
  return { type: findKeyType(pair), text, place };
}

function readText(key: Node, source: Source): string {
  if (!isScalar(key)) return source.text.slice(key.range?.[0], key.range?.[1]);
  const text = (key.source ?? '').replace(/\p{Surrogate}/gu, '\ufffd');
  // The YAML parser receives another character in place of a byte-order mark, which must not be stripped
  // (docs/spec/policy-language.md#yaml-dialect).
  return key.range?.[0] === 0 && source.text.startsWith('\ufeff') ? `\ufeff${text.slice(1)}` : text;
}

function findKeyType(pair: Pair<Node, Node | null>): YamlKey['type'] {
  const { key } = pair;
  if (pair.srcToken && 'explicitKey' in pair.srcToken && pair.srcToken.explicitKey) return 'MappingKey';
  if (hasTaggedKey(pair)) return 'Tag';
  if (isAlias(key)) return 'Alias';
  if (isSeq(key)) return 'Sequence';
  if (isMap(key)) return 'Mapping';
  if (!isScalar(key)) return invariant('a YAML key of unknown type');
  if (key.anchor !== undefined) return 'Anchor';
  return key.type === 'PLAIN' ? typePlainScalar(key.source ?? '').type : 'String';
}

// Strings that would be ambiguous in a path are quoted.
function pathSegment(text: string): string {
  return /[$*.[\]]/.test(text) ? `'${text}'` : text;
}

/** A merge key `<<` of a mapping. */
interface Merge {
  /** The number of the mapping's own entries before it. */
  readonly at: number;
  readonly from: readonly YamlEntry[];
}

/**
 * Returns the entries of a mapping, with merged entries inserted at the position of `<<`. Explicit keys win in any
 * order; values are replaced and never merged (docs/spec/policy-language.md#anchors-and-merge-keys).
 */
function withMerged(own: readonly YamlEntry[], merges: readonly Merge[]): readonly YamlEntry[] {
  const taken = new Set(own.map(({ key }) => key.text));
  const result: YamlEntry[] = [];
  let next = 0;
  for (const { at, from } of merges) {
    for (; next < at; next++) result.push(own[next] as YamlEntry);
    for (const entry of from) {
      if (taken.has(entry.key.text)) continue;
      taken.add(entry.key.text);
      result.push(entry);
    }
  }
  return [...result, ...own.slice(next)];
}
