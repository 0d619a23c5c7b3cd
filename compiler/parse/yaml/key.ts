import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { invariant } from '../../diagnostics/invariant.js';
import type { Source } from '../../diagnostics/source.js';
import type { YamlKey } from './node.js';
import { typePlainScalar } from './scalar.js';
import { hasTaggedKey } from './tags.js';

/** The key of an entry of the mapping at `parentPath`, with the path of the entry. */
export function keyOf(pair: Pair<Node, Node | null>, parentPath: string, source: Source): YamlKey {
  const [start, end] = pair.key.range ?? invariant('a YAML key without range');
  const text = textOf(pair.key, source);
  const place = { span: { source, start, end }, anchor: start, path: `${parentPath}.${pathSegment(text)}` };
  return { type: typeOf(pair), text, place };
}

function textOf(key: Node, source: Source): string {
  if (!isScalar(key)) return source.text.slice(key.range?.[0], key.range?.[1]);
  const text = (key.source ?? '').replace(/\p{Surrogate}/gu, '\ufffd');
  // The reader of YAML is given another character in place of a byte-order mark, which is not stripped
  // (docs/spec/policy-language.md#yaml-dialect).
  return key.range?.[0] === 0 && source.text.startsWith('\ufeff') ? `\ufeff${text.slice(1)}` : text;
}

function typeOf(pair: Pair<Node, Node | null>): YamlKey['type'] {
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

// Texts that a path would take apart stand in quotes.
function pathSegment(text: string): string {
  return /[$*.[\]]/.test(text) ? `'${text}'` : text;
}
