import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  readYaml,
  YamlDepthError,
} from '../../packages/yaml-input/index.js';
import { ConfigError } from './config-error.js';
import { type ConfigNode, emptyMap, type MapNode } from './node.js';

/**
 * The YAML of a configuration file (one document, YAML 1.2; JSON is YAML too). Throws a ConfigError at the first
 * problem.
 */
export function readConfig(text: string, file: string): MapNode {
  if (text.length > LARGEST) throw new ConfigError(`is larger than ${LARGEST} characters`, file);
  const lines = new LineCounter();
  const formatPlace = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const document = readDocument(text, lines, formatPlace);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined)
    throw new ConfigError(
      problem.code === 'MULTIPLE_DOCS' ? 'the configuration must be one document' : problem.message,
      formatPlace(problem.pos[0]),
    );
  const root = toNode(document.contents, formatPlace);
  if (root.kind === 'scalar' && root.value === null) return emptyMap(root.place);
  if (root.kind !== 'map') throw new ConfigError('the configuration must be a map', root.place);
  return root;
}

/** More than any configuration has. */
const LARGEST = 256 * 1024;
/** Deeper than any key is, and shallow enough for any stack. */
const MAX_DEPTH = 64;

function readDocument(
  text: string,
  lineCounter: LineCounter,
  formatPlace: (offset: number) => string,
): Document.Parsed {
  try {
    return readYaml(text, { intAsBigInt: true, lineCounter, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof YamlDepthError) throw new ConfigError(error.message, formatPlace(error.offset));
    throw error;
  }
}

/** Whether keys are unique is checked here. */
function toNode(node: Node | null | undefined, formatPlace: (offset: number) => string): ConfigNode {
  const place = formatPlace(node?.range?.[0] ?? 0);
  if (node === null || node === undefined) return { kind: 'scalar', value: null, place };
  if (isAlias(node) || node.anchor !== undefined) throw new ConfigError('anchors and aliases are not supported', place);
  if (isSeq<Node>(node)) return { kind: 'list', items: node.items.map((item) => toNode(item, formatPlace)), place };
  if (isMap<Node, Node>(node)) {
    const entries = new Map<string, ConfigNode>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw new ConfigError('a key must be a scalar', formatPlace(key.range?.[0] ?? 0));
      if (entries.has(String(key.value)))
        throw new ConfigError(`the key \`${String(key.value)}\` is duplicated`, formatPlace(key.range?.[0] ?? 0));
      const child = toNode(value, formatPlace);
      entries.set(String(key.value), { ...child, place: formatPlace(key.range?.[0] ?? 0) });
    }
    return { kind: 'map', entries, place };
  }
  if (isScalar(node)) return { kind: 'scalar', value: readScalar(node.value, place), place };
  throw new ConfigError('not a value', place);
}

function readScalar(value: unknown, place: string): string | number | bigint | boolean | null {
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
