/**
 * The known name nearest to the written one, if it is close enough to be a typo: one edit for every three letters. Ties
 * go to the first by name. Compares at most 2000 names of at most 80 UTF-16 units.
 */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  // Always fewer edits than letters: any name of one letter is one edit away from any other.
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

/** Longer names get no suggestion: the comparison is quadratic. */
const LONGEST = 80;

/** The maximum number of names that are compared. */
const MOST = 2000;

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
