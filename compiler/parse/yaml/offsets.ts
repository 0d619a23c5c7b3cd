import type { WrittenScalar } from './node.js';

/** The offset in the file of each UTF-16 unit of a scalar's value. */
export interface TextOffsets {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Whether the value of a scalar stands in the file as it is, so that each unit is at its own place. */
export function isVerbatim(text: string, { span: { source, start, end } }: WrittenScalar): boolean {
  return end - start === text.length && source.text.startsWith(text, start);
}

/**
 * Maps the value of a scalar back to the file, through escapes, folding and block indentation. Characters other than
 * white space keep their order and only white space is added or removed between them, so both are walked in parallel.
 * White space produced by folding maps to some of the white space it was produced from.
 */
export function textOffsets(text: string, written: WrittenScalar): TextOffsets {
  const end = written.span.end;
  const starts: number[] = [];
  const ends: number[] = [];
  let at = written.span.start;
  let index = 0;
  while (index < text.length) {
    const unit = atomAt(written, at);
    if (unit === undefined) {
      starts.push(end);
      ends.push(end);
      index += 1;
    } else if (unit.text === '' || (isSpace(unit) && !SPACE.test(text[index] as string))) {
      at = unit.end;
    } else if (!isSpace(unit) && !standsFor(unit, text, index)) {
      // White space that earlier atoms have produced, or an atom that was folded into white space.
      if (SPACE.test(text[index] as string)) {
        starts.push(at);
        ends.push(at);
        index += 1;
      } else {
        at = unit.end;
      }
    } else {
      for (let i = 0; i < unit.text.length && index < text.length; i++, index++) {
        starts.push(at);
        ends.push(unit.end);
      }
      at = unit.end;
    }
  }
  return { starts, ends };
}

/** The smallest unit of a written scalar: a character or an escape. Skipped if its text is empty. */
interface Atom {
  readonly text: string;
  readonly end: number;
  readonly escaped: boolean;
}

const SPACE = /^[ \t\r\n]$/;

function isSpace(atom: Atom): boolean {
  return !atom.escaped && SPACE.test(atom.text);
}

// An escape may encode half of a surrogate pair; a lone half becomes U+FFFD.
function standsFor(atom: Atom, text: string, index: number): boolean {
  return text.startsWith(atom.text, index) || (text[index] === '\ufffd' && /^[\ud800-\udfff]$/.test(atom.text));
}

function atomAt({ notation, span }: WrittenScalar, at: number): Atom | undefined {
  if (at >= span.end) return undefined;
  const source = span.source.text;
  const text = source[at] as string;
  if (notation === 'single' && text === "'" && source[at + 1] === "'") return { text, end: at + 2, escaped: true };
  if (notation === 'double' && text === '\\') return escapeAt(source, at);
  return { text, end: at + 1, escaped: false };
}

const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);
// The escapes of YAML 1.2, section 5.7.
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);

function escapeAt(source: string, at: number): Atom {
  const letter = source[at + 1] ?? '';
  if (letter === '\n' || letter === '\r') return { text: '', end: at + 2, escaped: true };
  const digits = HEX_DIGITS.get(letter);
  if (digits === undefined) return { text: ESCAPES.get(letter) ?? letter, end: at + 2, escaped: true };
  const code = Number.parseInt(source.slice(at + 2, at + 2 + digits), 16);
  return { text: code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd', end: at + 2 + digits, escaped: true };
}
