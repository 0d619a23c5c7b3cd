import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from './config-error.js';
import { type ConfigNode, emptyMap, type MapNode } from './node.js';

/**
 * The YAML of a configuration file (one document, YAML 1.2; JSON is YAML too). Throws a ConfigError at the first
 * problem.
 */
export function readConfig(text: string, file: string): MapNode {
  if (text.length > LARGEST) throw new ConfigError(`is larger than ${LARGEST} characters`, file);
  if (isDeep(text)) throw new ConfigError('is nested too deeply', file);
  const lines = new LineCounter();
  // Whether keys are unique is checked here: the library compares each with all others.
  const document = parseDocument(text, {
    intAsBigInt: true,
    lineCounter: lines,
    prettyErrors: false,
    version: '1.2',
    uniqueKeys: false,
  });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined)
    throw new ConfigError(
      problem.code === 'MULTIPLE_DOCS' ? 'the configuration must be one document' : problem.message,
      placeOf(problem.pos[0]),
    );
  const root = toNode(document.contents, placeOf, 0);
  if (root.kind === 'scalar' && root.value === null) return emptyMap(root.place);
  if (root.kind !== 'map') throw new ConfigError('the configuration must be a map', root.place);
  return root;
}

/** More than any configuration has. */
const LARGEST = 256 * 1024;
/**
 * The library is slow at what is nested deep in one line, and MAX_DEPTH is only reached after it; quotes are not looked
 * at, hence the margin.
 */
const MAX_OPEN = 500;

/**
 * Whether brackets, or the dashes and question marks at the beginning of a line, nest deeper than any text that is
 * meant.
 */
function isDeep(text: string): boolean {
  let open = 0;
  let marks = 0;
  let isBeginning = true;
  for (const character of text) {
    if (character === '\n') {
      marks = 0;
      isBeginning = true;
    } else if ((character === '-' || character === '?' || character === ':') && isBeginning) marks += 1;
    else if (character !== ' ' && character !== '\t') isBeginning = false;
    if (character === '[' || character === '{') open += 1;
    else if ((character === ']' || character === '}') && open > 0) open -= 1;
    if (open > MAX_OPEN || marks > MAX_OPEN) return true;
  }
  return false;
}

/** Deeper than any key is, and shallow enough for any stack. */
const MAX_DEPTH = 64;

function toNode(node: Node | null | undefined, placeOf: (offset: number) => string, depth: number): ConfigNode {
  const place = placeOf(node?.range?.[0] ?? 0);
  if (depth > MAX_DEPTH) throw new ConfigError('nested too deep', place);
  if (node === null || node === undefined) return { kind: 'scalar', value: null, place };
  if (isAlias(node) || node.anchor !== undefined) throw new ConfigError('anchors and aliases are not supported', place);
  if (isSeq<Node>(node))
    return { kind: 'list', items: node.items.map((item) => toNode(item, placeOf, depth + 1)), place };
  if (isMap<Node, Node>(node)) {
    const entries = new Map<string, ConfigNode>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw new ConfigError('a key must be a scalar', placeOf(key.range?.[0] ?? 0));
      if (entries.has(String(key.value)))
        throw new ConfigError(`the key \`${String(key.value)}\` is duplicated`, placeOf(key.range?.[0] ?? 0));
      const child = toNode(value, placeOf, depth + 1);
      entries.set(String(key.value), { ...child, place: placeOf(key.range?.[0] ?? 0) });
    }
    return { kind: 'map', entries, place };
  }
  if (isScalar(node)) return { kind: 'scalar', value: scalarOf(node.value, place), place };
  throw new ConfigError('not a value', place);
}

function scalarOf(value: unknown, place: string): string | number | bigint | boolean | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      if (value === null || value === undefined) return null;
      throw new ConfigError('not a value', place);
  }
}
