import type * as ir from '../../../compiler/ir/program.js';
import type { ReadSetOptions } from '../../../runtime/policy/index.js';
import { makeFactsReport } from './facts-report.js';
import { compareLock, makeLock, type ReadChange } from './lock.js';

/**
 * What decisions about some kinds read by one program and not by another. A kind that only one of them has is left out.
 *
 * @param old with folded literals, as its authors wrote it; `new_` likewise.
 */
export function listReadChanges(
  old: ir.Program,
  new_: ir.Program,
  kinds: readonly string[],
  options: ReadSetOptions,
): readonly ReadChange[] {
  if (kinds.length === 0) return [];
  const [before, after] = [old, new_].map((program) => makeFactsReport(program, { ...options, kind: kinds }));
  if (before === undefined || after === undefined) return [];
  const known = makeLock(before);
  const lasting = new Set(Object.keys(known.kinds));
  const tables = new Set(Object.keys(makeLock(after).kinds));
  return compareLock(known, after).filter(({ kind }) => lasting.has(kind) && tables.has(kind));
}
