import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import type { Region } from './finding.js';

/** Length in UTF-16 units. A region may be a whole document. */
const LONGEST_SNIPPET = 1000;

/** The region of a span. */
export function regionOfSpan({ source, start, end }: Span): Region {
  const first = source.lineAndColumn(start);
  const last = source.lineAndColumn(end);
  const text = source.text.slice(start, end);
  return {
    startLine: first.line,
    startColumn: first.column,
    endLine: last.line,
    endColumn: last.column,
    ...(text !== '' && text.length <= LONGEST_SNIPPET && { text }),
    line: source.line(first.line),
  };
}

/** The region from a place to the end of its line. */
export function regionAt({ line, column }: FilePlace, source: Source): Region {
  const text = source.line(line);
  const rest = text.slice(column - 1);
  return {
    startLine: line,
    startColumn: column,
    endLine: line,
    endColumn: text.length + 1,
    ...(rest !== '' && rest.length <= LONGEST_SNIPPET && { text: rest }),
    line: text,
  };
}

/** The beginning of a file, for a problem that has no place in it. */
export function findStart(source: Source): Region {
  return regionAt({ file: source.path, line: 1, column: 1 }, source);
}
