import {
  type CST,
  type Document,
  isNode,
  isSeq,
  type Node,
  type Pair,
  readYaml,
  type Scalar,
  visit,
} from '../../packages/yaml-input/index.js';
import { MAX_DEPTH } from '../parse/limits.js';

/**
 * A document whose scalars are placeholders, which a printer neither quotes nor breaks, and the scalars as they were
 * written.
 */
export interface Skeleton {
  readonly document: Document.Parsed;
  /** Puts the scalars into the printed document. */
  readonly fill: (printed: string) => string;
}

/** The scalars of a well-formed text leave it. Undefined if the text has all characters that could mark them. */
export function findSkeleton(text: string): Skeleton | undefined {
  const mark = PRIVATE_CHARACTERS.find((character) => !text.includes(character));
  if (mark === undefined) return undefined;
  const document = readYaml(text, { keepSourceTokens: true, maxDepth: MAX_DEPTH });
  const scalars: ScalarLines[] = [];
  visit(document, {
    Map(_, { flow, items }) {
      if (flow !== true) giveCommentsBack(items, text);
    },
    Scalar(_, node) {
      const scalar = readLines(node);
      if (scalar === undefined) return;
      node.value = `${mark}${scalars.push(scalar) - 1}${mark}`;
      node.type = 'PLAIN';
    },
  });
  const placeholder = new RegExp(`${mark}(\\d+)${mark}`);
  const fill = (printed: string): string =>
    printed
      .split('\n')
      .map((line) => filled(line.trimEnd(), placeholder, scalars))
      .join('\n');
  return { document, fill };
}

/**
 * Comments and empty lines after a list that is not indented belong to the entry that follows. The parser counts
 * comments as the end of the list, and loses the lines.
 */
function giveCommentsBack(entries: readonly Pair[], text: string): void {
  for (const [index, { key: next }] of entries.entries()) {
    const { key, value: list } = entries[index - 1] ?? {};
    if (!isNode(key) || !isNode(next) || !isSeq(list) || findColumn(list, text) !== findColumn(key, text)) continue;
    if (typeof list.comment === 'string') {
      next.commentBefore = [list.comment, next.commentBefore].filter((comment) => comment !== undefined).join('\n');
      delete list.comment;
    }
    if (followsEmptyLine(next, text)) next.spaceBefore = true;
  }
}

function findColumn({ range }: Node, text: string): number {
  const start = range?.[0] ?? 0;
  return start - text.lastIndexOf('\n', start - 1);
}

/** Whether an empty line stands before an entry and its comments. */
function followsEmptyLine({ range }: Node, text: string): boolean {
  let lineStart = text.lastIndexOf('\n', (range?.[0] ?? 0) - 1) + 1;
  for (;;) {
    const before = text.lastIndexOf('\n', lineStart - 2) + 1;
    const line = text.slice(before, Math.max(lineStart - 1, 0)).trim();
    if (!line.startsWith('#')) return lineStart > 0 && line === '';
    lineStart = before;
  }
}

const PRIVATE_CHARACTERS = Array.from({ length: 256 }, (_, index) => String.fromCharCode(0xe000 + index));

/** A scalar as it was written. */
interface ScalarLines {
  readonly first: string;
  /** The lines that follow, without the indentation that they share. */
  readonly others: readonly string[];
  /** Whether the first line is the header of a block: the comment of the scalar follows that, not the last line. */
  readonly isBlock: boolean;
}

/** Undefined for an empty scalar. */
function readLines({ srcToken }: Scalar): ScalarLines | undefined {
  switch (srcToken?.type) {
    case 'scalar':
    case 'single-quoted-scalar':
    case 'double-quoted-scalar': {
      if (srcToken.source === '') return undefined;
      const [first = '', ...others] = srcToken.source.split('\n');
      // Spaces around the line breaks of these scalars do not count, but one before the quote at the end does.
      const last = others.pop();
      const trimmed = others.map((line) => line.trim());
      return {
        first: others.length === 0 && last === undefined ? first : first.trimEnd(),
        others: last === undefined ? [] : [...trimmed, last.trimStart()],
        isBlock: false,
      };
    }
    case 'block-scalar':
      return blockLines(srcToken);
    default:
      return undefined;
  }
}

/** An indentation that the header states is that of `INDENT` afterwards. */
function blockLines({ indent, props, source }: CST.BlockScalar): ScalarLines {
  const header = props.flatMap((token) => (token.type === 'block-scalar-header' ? [token.source] : [])).join('');
  const stated = /\d/.exec(header)?.[0];
  const lines = source.split('\n');
  const shared =
    stated === undefined
      ? (/^ */.exec(lines.find((line) => line.trim() !== '') ?? '') as RegExpExecArray)[0].length
      : Math.max(indent, 0) + Number(stated);
  const others = lines.map((line) => line.slice(shared));
  if (!header.includes('+')) {
    // One empty line between the scalar and what follows it stays.
    const end = others.findLastIndex((line) => line.trim() !== '') + 1;
    others.splice(end, others.length, ...(others.length - end > 1 ? [''] : []));
  } else others.pop();
  return { first: header.replace(/\d/, String(INDENT.length)), others, isBlock: true };
}

const INDENT = '  ';

/** A printed line with its scalars, which may make it several lines. */
function filled(line: string, placeholder: RegExp, scalars: readonly ScalarLines[]): string {
  const indentation = readIndentation(line);
  let text = '';
  let rest = line;
  let block: readonly string[] = [];
  for (let found = placeholder.exec(rest); found !== null; found = placeholder.exec(rest)) {
    const { first, others, isBlock } = scalars[Number(found[1])] as ScalarLines;
    const indented = others.map((other) => (other === '' ? '' : indentation + other));
    text += rest.slice(0, found.index) + [first, ...(isBlock ? [] : indented)].join('\n');
    if (isBlock) block = indented;
    rest = rest.slice(found.index + found[0].length);
  }
  return [text + rest, ...block].join('\n');
}

/**
 * The indentation of the lines of a scalar that begins on this line: two columns more than the key before it, or than
 * the `-` of an item that it is itself.
 */
function readIndentation(line: string): string {
  const [lead = '', item = ''] = /^ *((?:- )*)/.exec(line) ?? [];
  const isItem = item !== '' && !/: |:$/.test(line.slice(lead.length));
  return ' '.repeat(lead.length - (isItem ? INDENT.length : 0)) + INDENT;
}
