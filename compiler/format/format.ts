import {
  commentsIn,
  type Document,
  isCollection,
  LineCounter,
  readYaml,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from '../../packages/yaml-input/index.js';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import { Source } from '../diagnostics/source.js';
import { MAX_DEPTH } from '../parse/limits.js';
import { readDocument } from '../parse/yaml/read.js';
import { isSameTree } from './same-tree.js';
import { findSkeleton } from './scalars.js';

/**
 * A policy or a test file in the style that `authzc fmt` writes (docs/formatting.md): indentation, spaces, empty lines
 * and line ends change. Values stay as they were written, conditions among them, and so do comments and the order of
 * keys.
 *
 * @param report gets the problems of a file that is not well-formed.
 * @returns undefined for a file that is not well-formed. The text itself for a file without a document, and for one whose
 * meaning or comments would change, which unusual YAML risks.
 */
export function formatted(source: Source, report: Diagnostics): string | undefined {
  const own = new Diagnostics();
  const before = readDocument(source, own);
  before?.problems.reportTo(own);
  report.adopt(own);
  if (own.hasErrors) return undefined;
  if (before === undefined) return source.text;
  const text = settled(source.text.replaceAll('\r\n', '\n'));
  if (text === undefined || commentsIn(text).join('\n') !== commentsIn(source.text).join('\n')) return source.text;
  const after = readDocument(new Source(source.path, text), new Diagnostics());
  return after !== undefined && isSameTree(before.root, after.root) ? text : source.text;
}

/** The printer moves a comment before an item of a list in a list in two steps. Undefined if it never ends. */
function settled(text: string): string | undefined {
  let before: string | undefined = text;
  for (let step = 0; step < STEPS && before !== undefined; step += 1) {
    const after = styled(before);
    if (after === before) return after;
    before = after;
  }
  return undefined;
}

const STEPS = 5;

/** The columns that a `{...}` or `[...]` may reach; one that is longer is written in lines. */
const WIDTH = 120;

const STYLE = { lineWidth: 0, flowCollectionPadding: false, verifyAliasOrder: false } as const;

function styled(text: string): string | undefined {
  const skeleton = findSkeleton(text);
  if (skeleton === undefined) return undefined;
  const { document, fill } = skeleton;
  for (;;) {
    // The printer breaks no line, for it would also break those of conditions.
    const printed = print(document);
    if (printed === undefined) return undefined;
    const text = fill(printed);
    const isBroken = breakLines(document, text);
    if (isBroken === undefined) return undefined;
    if (!isBroken) return text;
  }
}

/** Undefined for what policies may have and the printer rejects: malformed tags, and unusual blanks in anchors. */
function print(document: Document.Parsed): string | undefined {
  try {
    return document.toString(STYLE);
  } catch {
    return undefined;
  }
}

/**
 * Chooses the notation in lines for collections that are too long in `{...}` or `[...]`. Returns whether there were any:
 * in their new places, those inside may be too long. Undefined if the printed text has other collections: in lines, a
 * key of more than 1,024 characters is none.
 */
function breakLines(document: Document.Parsed, printed: string): boolean | undefined {
  const collections = flowCollections(document);
  const lines = new LineCounter();
  const after = readYaml(printed, { maxDepth: MAX_DEPTH, lineCounter: lines });
  const found = flowCollections(after);
  if (found.length !== collections.length) return undefined;
  let isBroken = false;
  for (const [index, collection] of collections.entries()) {
    const [start, end] = found[index]?.range ?? [0, 0];
    if (!hasLongLine(start, end, lines)) continue;
    delete collection.flow;
    isBroken = true;
  }
  return isBroken;
}

/** Whether one of the lines from an offset to another passes the width before the second. */
function hasLongLine(start: number, end: number, { lineStarts, linePos }: LineCounter): boolean {
  for (let line = linePos(start).line; ; line += 1) {
    const lineStart = lineStarts[line - 1];
    if (lineStart === undefined || lineStart >= end) return false;
    const lineEnd = Math.min((lineStarts[line] ?? Number.POSITIVE_INFINITY) - 1, end);
    if (lineEnd - lineStart > WIDTH) return true;
  }
}

/** The collections in `{...}` or `[...]`, without those that a key consists of. */
function flowCollections(document: Document.Parsed): readonly (YAMLMap | YAMLSeq)[] {
  const found: (YAMLMap | YAMLSeq)[] = [];
  visit(document, {
    Collection(position, node) {
      if (position === 'key') return visit.SKIP;
      if (isCollection(node) && node.flow === true) found.push(node as YAMLMap | YAMLSeq);
      return undefined;
    },
  });
  return found;
}
