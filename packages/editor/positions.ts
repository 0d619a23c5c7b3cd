import type { Position, Range } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { Span } from '../../compiler/diagnostics/span.js';

/*
 * Offsets of the compiler and positions of the protocol. Both count UTF-16 units, but the protocol has more line
 * breaks: a single carriage return is one, too.
 */

const documents = new WeakMap<Source, TextDocument>();

function makeDocument(source: Source): TextDocument {
  const known = documents.get(source);
  if (known !== undefined) return known;
  const document = TextDocument.create('', 'yaml', 0, source.text);
  documents.set(source, document);
  return document;
}

export function toRange({ source, start, end }: Span): Range {
  const document = makeDocument(source);
  return { start: document.positionAt(start), end: document.positionAt(Math.max(start, end)) };
}

/** The offset of a position; one past the end of a line or of the text counts as that end. */
export function offsetAt(source: Source, position: Position): number {
  return makeDocument(source).offsetAt(position);
}

/** The parts of a span on each of its lines, without line breaks and empty parts. */
export function toLineRanges({ source, start, end }: Span): readonly Range[] {
  const parts = [...source.text.slice(start, end).matchAll(/[^\r\n]+/g)];
  return parts.map(({ index, 0: text }) => toRange({ source, start: start + index, end: start + index + text.length }));
}
