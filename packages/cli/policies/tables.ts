import { reportUnfilteredRules } from '../../analysis/tables/unfiltered-rules.js';
import type { Compilation } from '../../../compiler/compile.js';
import { type Diagnostic, Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { SqlDialect, SqlTable } from '../../../runtime/residual/sql/index.js';

/** The conditions of a compilation that cannot be filtered over tables; none for policies that do not compile. */
export function diagnosticsOfTables(
  { lowered }: Pick<Compilation, 'lowered'>,
  tables: ReadonlyMap<string, SqlTable>,
  dialect: SqlDialect,
): readonly Diagnostic[] {
  const report = new Diagnostics();
  if (lowered !== undefined) reportUnfilteredRules(fold(lowered), tables, dialect, report);
  return report.sorted();
}
