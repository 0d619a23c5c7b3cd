import {
  composeYaml,
  type CST,
  type Document,
  isMap,
  isScalar,
  type Node,
  readYaml,
  type Scalar,
  tokenise,
  YamlDepthError,
} from '../../yaml-input/index.js';

/** A YAML file, with what changes of its text need. */
export interface YamlText {
  readonly text: string;
  readonly documents: readonly Document.Parsed[];
  /** Comments before the first entry of a document. */
  readonly comments: readonly { readonly offset: number; readonly source: string }[];
}

/** A replacement of a part of a text. Offsets come from the parser, so that all other characters stay as they are. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Deeper than any policy or schema is. */
const MAX_DEPTH = 200;

/** Parses a file; undefined if it is not well-formed. */
export function parseYaml(text: string): YamlText | undefined {
  const read = tokenise(text, MAX_DEPTH);
  if ('tooDeepAt' in read) return undefined;
  const documents = composeYaml(read.tokens, text.length, {});
  if (documents.some(({ errors }) => errors.length > 0)) return undefined;
  return { text, documents, comments: read.tokens.flatMap(listComments) };
}

/** Reads a file of one document; undefined if it is not well-formed. */
export function readDocument(text: string, options: Parameters<typeof readYaml>[1] = {}): Document.Parsed | undefined {
  try {
    const document = readYaml(text, options);
    return document.errors.length > 0 ? undefined : document;
  } catch (error) {
    if (error instanceof YamlDepthError) return undefined;
    throw error;
  }
}

function listComments(token: CST.Token): YamlText['comments'] {
  if (token.type === 'comment') return [token];
  if (token.type !== 'document') return [];
  const { start, value } = token;
  const [first] = value !== undefined && 'items' in value ? value.items : [];
  return [...start, ...(first?.start ?? [])].filter(({ type }) => type === 'comment');
}

/** The node at a path of map keys. */
export function nodeAt(root: Node | null | undefined, path: readonly string[]): Node | undefined {
  let node: Node | null | undefined = root;
  for (const key of path) {
    if (!isMap<Scalar, Node>(node)) return undefined;
    node = node.items.find((item) => isScalar(item.key) && item.key.value === key)?.value;
  }
  return node ?? undefined;
}

/** The text of the string at a path; undefined if there is none. */
export function textAt(root: Node | null | undefined, path: readonly string[]): string | undefined {
  const node = nodeAt(root, path);
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** Replaces the beginning of a string; its quotes stay. Undefined if the string does not begin so. */
export function replacePrefix(text: string, node: Node | undefined, from: string, to: string): Edit | undefined {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.value.startsWith(from)) return undefined;
  const [start, end] = node.range as readonly [number, number, number];
  const source = text.slice(start, end);
  const at = source.indexOf(from);
  // With escapes, the string is written anew.
  if (at < 0 || at > 1) return { start, end, text: JSON.stringify(to + node.value.slice(from.length)) };
  return { start: start + at, end: start + at + from.length, text: to };
}

/** Applies edits, which do not overlap, to the part of a text from `start` to `end`. */
export function applyEdits(text: string, edits: readonly Edit[], start = 0, end = text.length): string {
  let result = '';
  let from = start;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < start || edit.end > end) continue;
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from, end);
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
