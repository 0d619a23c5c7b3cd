import type { Note } from './diagnostic.js';

/** Longer names get no suggestion: the comparison is quadratic. */
const LONGEST = 80;

/** The maximum number of names that are compared. */
const MOST = 2000;

/**
 * At most one note, ``did you mean `owner`?``: the known name nearest to the written one, if it is close enough to be a
 * typo. Ties go to the first by name.
 */
export function didYouMean(written: string, known: Iterable<string>): readonly Note[] {
  const near = nearest(written, known);
  return near === undefined ? [] : [suggestionOf(written, near)];
}

/** The note that suggests a name for the written one. */
export function suggestionOf(written: string, nearest: string): Note {
  return { message: `did you mean \`${nearest}\`?`, suggestion: { written, nearest } };
}

function nearest(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  // One edit for every three letters or part of three, but always fewer than the name has letters.
  const limit = Math.min(Math.ceil(written.length / 3), written.length - 1);
  const candidates = [...new Set(known)].slice(0, MOST).sort();
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of candidates) {
    if (name === written || name.length > LONGEST || Math.abs(name.length - written.length) >= bestDistance) continue;
    const found = distance(written.toLowerCase(), name.toLowerCase());
    if (found < bestDistance) {
      best = name;
      bestDistance = found;
    }
  }
  return best;
}

/** Edits from one string to the other: insert, delete, replace, swap two neighbors. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replace = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + replace);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] as number;
}
