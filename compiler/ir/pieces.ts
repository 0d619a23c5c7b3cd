import { invariant } from '../diagnostics/invariant.js';

/**
 * What the printer wrote. `export` is the word alone; `name` is an exported name that nothing else in the module
 * mentions; `imports` are the statements that import.
 */
export type PieceKind = (typeof KINDS)[number];

const KINDS = ['code', 'literal', 'comment', 'imports', 'export', 'name'] as const;

/** A part of generated code. */
export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
}

/**
 * The pieces of a text in its order. Only kinds and lengths, a number for each: the texts would take several times the
 * memory of the whole.
 */
export class PieceList {
  /** @param numbers of a list that was kept as numbers. */
  constructor(readonly numbers: number[] = []) {}

  /** Adds a piece at the end. Adjacent code is one piece. */
  add(kind: PieceKind, length: number): void {
    if (length === 0) return;
    const last = this.numbers.length - 1;
    const before = this.numbers[last];
    if (kind === 'code' && before !== undefined && before % KINDS.length === 0)
      this.numbers[last] = before + length * KINDS.length;
    else this.numbers.push(length * KINDS.length + KINDS.indexOf(kind));
  }

  /** Adds the pieces of another list. */
  addAll({ numbers }: PieceList): void {
    for (const number of numbers) this.add(unpackKind(number), unpackLength(number));
  }

  /** The pieces of the text that was written with them. */
  of(text: string): readonly Piece[] {
    let start = 0;
    const pieces = this.numbers.map((number): Piece => {
      const end = start + unpackLength(number);
      const piece = { kind: unpackKind(number), text: text.slice(start, end) };
      start = end;
      return piece;
    });
    return start === text.length ? pieces : invariant('the pieces of generated code are not those of its text');
  }
}

function unpackKind(number: number): PieceKind {
  return KINDS[number % KINDS.length] ?? invariant(`${number} is not a piece`);
}

function unpackLength(number: number): number {
  return Math.floor(number / KINDS.length);
}
