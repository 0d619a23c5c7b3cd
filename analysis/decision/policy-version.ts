import type { CompiledBundle } from '#runtime/engine';
import type * as ir from '../../compiler/ir/program.js';

/** One of two sets of policies that are compared, or the one about which statements are proved. */
export interface PolicyVersion {
  /** Where it comes from, as reports show it: `git:main:policies`, `policies`. */
  readonly source: string;
  /** As emitted: `Compilation.program`. Proofs are about it. */
  readonly program: ir.Program;
  /** As its authors wrote it: `Compilation.lowered`. Causes are explained from it. */
  readonly lowered: ir.Program;
  /** The `policies` of its compiled bundle, which confirm every request that is shown. */
  readonly compiled: CompiledBundle;
}
