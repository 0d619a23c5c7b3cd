import { ANY_ROW, type Row } from './row.js';
import { sharedTerm } from './shared.js';
import type { Term } from './term.js';

/** A part of a condition that reads only the row: it is evaluated once for the row of which nothing is known. */
export function ofRow(read: (row: Row) => Term): (row: Row) => Term {
  let known: Term;
  return (row) => {
    if (row !== ANY_ROW) return read(row);
    known ??= sharedTerm(read(row));
    return known;
  };
}
