import { type Matrix, plainCell } from '../matrix.js';

/** Tables as plain data. */
export function matrixJson({ tables, definitions }: Matrix): object {
  return {
    tables: tables.map(({ rows, ...table }) => ({
      ...table,
      rows: rows.map((row) => ({ ...row, cells: row.cells.map(plainCell) })),
    })),
    definitions,
  };
}
