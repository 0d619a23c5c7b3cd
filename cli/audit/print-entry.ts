import type { JsonObject } from '@bufbuild/protobuf';
import { visible, visibleJson } from '../../compiler/diagnostics/visible.js';

/** How entries are shown. */
export type EntryStyle = 'raw' | 'plain' | 'colored';

/**
 * An entry as a terminal may show it: as JSON on one line, or below its call id, with indentation. What callers wrote
 * may hold anything; control characters and whatever else could meddle with a terminal are escaped, as JSON has it.
 * Ends with a line break.
 */
export function printEntry(entry: JsonObject, style: EntryStyle): string {
  switch (style) {
    case 'raw':
      return `${visibleJson(entry)}\n`;
    case 'plain':
      return `${headingOf(entry)}\n${visibleJson(entry, 2)}\n\n`;
    case 'colored':
      return `${BOLD}${headingOf(entry)}${RESET}\n${visibleJson(entry, 2).replace(KEYS, `$1${CYAN}$2${RESET}:`)}\n\n`;
  }
}

const BOLD = '\u001b[1m';
const CYAN = '\u001b[36m';
const RESET = '\u001b[0m';

/** A key begins its line; a string cannot hold a line break. */
const KEYS = /^( +)("(?:[^"\\\n]|\\.)*"):/gm;

function headingOf({ callId }: JsonObject): string {
  return typeof callId === 'string' && callId !== '' ? visible(callId) : 'no call id';
}
