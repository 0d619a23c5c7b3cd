import { makeFactsReport } from '../../analysis/facts/facts-report.js';
import { factsInterface } from '../../analysis/facts/report/types.js';
import { reportWholeSides } from '../../analysis/facts/whole-sides.js';
import type { Compilation } from '../../../compiler/compile.js';
import { type Diagnostic, Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { type EmittedFile, extendFile } from '../../../compiler/ir/emitted-file.js';
import { fold } from '../../../compiler/optimise/index.js';
import { PACKAGE_NAMES } from '../../../compiler/package-names.js';

/** The conditions that read all attributes of a side; none for policies that do not compile. */
export function diagnosticsOfFacts({ lowered }: Pick<Compilation, 'lowered'>): readonly Diagnostic[] {
  const report = new Diagnostics();
  if (lowered !== undefined) reportWholeSides(fold(lowered), report);
  return report.sorted();
}

/** The types of the policies, with the type `Facts` of what their decisions read. */
export function withFactTypes(types: EmittedFile, { lowered }: Pick<Compilation, 'lowered'>): EmittedFile {
  if (lowered === undefined) return types;
  const program = fold(lowered);
  return extendFile(types, factsInterface(makeFactsReport(program), program, PACKAGE_NAMES.library));
}
