import type { Algebra } from './algebra.js';
import { ANY_ROW, type Row } from './row.js';

/** A condition that reads only the row, put together by an algebra. */
export type RowCondition = <C>(row: Row, algebra: Algebra<C>) => C;

/** A condition that is evaluated once for the row of which nothing is known: its result depends on nothing else. */
export function ofRow(condition: RowCondition): RowCondition {
  const known = new WeakMap<object, unknown>();
  return <C>(row: Row, algebra: Algebra<C>): C => {
    if (row !== ANY_ROW) return condition(row, algebra);
    if (!known.has(algebra)) known.set(algebra, condition(row, algebra));
    return known.get(algebra) as C;
  };
}
