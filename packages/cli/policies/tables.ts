import { protectTables } from '../../analysis/rls/protect.js';
import type { Protection } from '../../analysis/rls/protection.js';
import { reportUnfilteredRules } from '../../analysis/tables/unfiltered-rules.js';
import type { Compilation } from '../../../compiler/compile.js';
import { type Diagnostic, Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import type { SqlDialect, SqlTable } from '../../../runtime/residual/sql/index.js';

/** What an application computes for policies of a database, and the program whose schemas it refers to. */
export interface ComputedInTables {
  readonly values: Protection['computed'];
  readonly program: Program;
}

/** What tables with `rls` need of an application; undefined if that is nothing, or if they are refused. */
export function computedInTables(
  { lowered }: Pick<Compilation, 'lowered'>,
  file: TableFile,
): ComputedInTables | undefined {
  if (lowered === undefined || file.rowSecurity.size === 0) return undefined;
  const program = fold(lowered);
  const values = protectTables(program, {}, file, new Diagnostics())?.computed ?? [];
  return values.length === 0 ? undefined : { values, program };
}

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
