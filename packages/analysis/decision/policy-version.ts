import type { CompiledBundle } from '../../../runtime/engine/index.js';
import { type BundleModule, importBundle } from '../../../compiler/bundle/import-bundle.js';
import { bundle } from '../../../compiler/bundle/index.js';
import type { Compilation } from '../../../compiler/compile.js';
import type * as ir from '../../../compiler/ir/program.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';

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

/** A version with the conditions that report failures: strict evaluation and tests need them. */
export interface LoadedVersion extends PolicyVersion {
  readonly traced: BundleModule['traced'];
}

/**
 * Bundles what was compiled, and loads the bundle; undefined if the policies were refused.
 *
 * @param source where the policies come from, as reports show it.
 */
export async function loadVersion(
  { program, lowered, files }: Pick<Compilation, 'program' | 'lowered' | 'files'>,
  source: string,
): Promise<LoadedVersion | undefined> {
  if (program === undefined || lowered === undefined) return undefined;
  const { policies, traced } = await importBundle((await bundle(files, runtimeFolder())).js);
  return { source, program, lowered, compiled: policies, traced };
}
