import type { CompiledBundle } from '../../../runtime/engine/index.js';
import { type BundleModule, importModule } from '../../../compiler/bundle/import-bundle.js';
import type { Compilation } from '../../../compiler/compile.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { HASH_FILE } from '../../../compiler/ir/emitted-file.js';
import type * as ir from '../../../compiler/ir/program.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';

/** One of two sets of policies that are compared, or the one about which statements are proved. */
export interface PolicyVersion {
  /** Where it comes from, as reports show it: `git:main:policies`, `policies`. */
  readonly source: string;
  /** The program as emitted: `Compilation.program`. Proofs are about it. */
  readonly program: ir.Program;
  /** The program as its authors wrote it: `Compilation.lowered`. Causes are explained from it. */
  readonly lowered: ir.Program;
  /** The hash of its compiled bundle. */
  readonly hash: string;
  /** Loads the `policies` of its compiled bundle, which confirm every request that is shown; once. */
  readonly compiled: () => Promise<CompiledBundle>;
}

/** A version with the conditions that report failures: strict evaluation and tests need them. */
export interface LoadedVersion extends PolicyVersion {
  readonly traced: BundleModule['traced'];
}

/**
 * The version that a compilation resulted in, undefined if the policies were refused. Bundling and loading it takes
 * longer than most proofs, so both wait until a request has to be confirmed.
 *
 * @param source where the policies come from, as reports show it.
 */
export async function loadVersion(
  { program, lowered, files }: Pick<Compilation, 'program' | 'lowered' | 'files'>,
  source: string,
): Promise<LoadedVersion | undefined> {
  if (program === undefined || lowered === undefined) return undefined;
  // The hash has its own module, so reading it needs no bundling.
  const hashFile = files.find(({ path }) => path === HASH_FILE) ?? invariant('every compilation has a hash');
  const { hash } = await importModule<Pick<CompiledBundle, 'hash'>>(hashFile.text);
  let loading: Promise<BundleModule> | undefined;
  const load = (): Promise<BundleModule> => {
    loading ??= loadFiles(files);
    return loading;
  };
  return {
    source,
    program,
    lowered,
    hash,
    compiled: async () => (await load()).policies,
    traced: async () => (await load()).traced(),
  };
}

async function loadFiles(files: Compilation['files']): Promise<BundleModule> {
  // A run that does not bundle does not load esbuild.
  const { loadEmitted } = await import('../../../compiler/bundle/load-emitted.js');
  return loadEmitted(files, runtimeFolder());
}
