/** A piece of text that stays together on a terminal: its visible form, and its width in columns. */
export interface Cell {
  readonly text: string;
  readonly width: number;
}

/**
 * Text of an author in a form that is safe on a terminal, on one line: characters that could move the cursor, or
 * recolor, hide or reverse the text after them are written as escapes (`\x1b`, `\u{202e}`).
 */
export function visible(text: string): string {
  let shown = '';
  for (const character of text) shown += HARMFUL.test(character) ? escape(character) : character;
  return shown;
}

/**
 * A value as JSON that is safe on a terminal: the same characters, which only occur in strings, are written as JSON
 * escapes, so that a JSON parser returns the value.
 */
export function visibleJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, indent).replace(HARMFUL_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** A line, character by character, with tabs as spaces to the next multiple of four. */
export function splitCells(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const character of line) {
    const cell = character === '\t' ? spaces(TAB - (column % TAB)) : toCell(character);
    column += cell.width;
    cells.push(cell);
  }
  return cells;
}

const TAB = 4;

/**
 * Control characters, line separators, marks that are invisible or change the direction of writing, tags, unpaired
 * surrogates.
 */
const HARMFUL =
  /^[\p{Cc}\p{Cs}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]$/u;

/**
 * The same within JSON, whose line breaks are its own, and which escapes control characters and lone surrogates itself,
 * but for the rest of the ASCII and C1 ones.
 */
const HARMFUL_IN_JSON =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const COMBINING = /^[\p{Mn}\p{Me}\u200c\u200d\ufe00-\ufe0f]$/u;

/** East Asian wide and emoji, by block: a terminal gives them two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function toCell(character: string): Cell {
  if (HARMFUL.test(character)) {
    const text = escape(character);
    return { text, width: text.length };
  }
  if (COMBINING.test(character)) return { text: character, width: 0 };
  return { text: character, width: WIDE.test(character) ? 2 : 1 };
}

function spaces(width: number): Cell {
  return { text: ' '.repeat(width), width };
}

function escape(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
