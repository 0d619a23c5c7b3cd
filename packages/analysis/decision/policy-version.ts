import type { CompiledBundle } from '../../../runtime/engine/index.js';
import { type BundleModule, importModule } from '../../../compiler/bundle/import-bundle.js';
import type { Compilation } from '../../../compiler/compile.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { HASH_FILE } from '../../../compiler/ir/emitted-file.js';
import type * as ir from '../../../compiler/ir/program.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';

/** One of two sets of policies that are compared, or the one about which statements are proved. */
export interface PolicyVersion extends ComparedVersion {
  /** Returns the hash of its compiled bundle. The first call emits the code. */
  readonly hash: () => Promise<string>;
}

/** A version without its hash, which proofs do not need. */
export interface ComparedVersion {
  /** Where it comes from, as reports show it: `git:main:policies`, `policies`. */
  readonly source: string;
  /** The program as emitted: `Compilation.program`. Proofs are about it. */
  readonly program: ir.Program;
  /** The program as its authors wrote it: `Compilation.lowered`. Causes are explained from it. */
  readonly lowered: ir.Program;
  /** Loads the `policies` of its compiled bundle, which confirm every request that is shown; once. */
  readonly compiled: () => Promise<CompiledBundle>;
}

/** A version with the conditions that report failures: strict evaluation and tests need them. */
export interface LoadedVersion extends PolicyVersion {
  readonly traced: BundleModule['traced'];
}

/**
 * The version that a compilation resulted in, undefined if the policies were refused. Emitting, bundling and loading its
 * code takes longer than most proofs, so all of it waits until a request has to be confirmed or the hash is asked for.
 *
 * @param source where the policies come from, as reports show it.
 */
export function loadVersion(
  compilation: Pick<Compilation, 'program' | 'lowered' | 'files'>,
  source: string,
): LoadedVersion | undefined {
  const { program, lowered } = compilation;
  if (program === undefined || lowered === undefined) return undefined;
  let loading: Promise<BundleModule> | undefined;
  const load = (): Promise<BundleModule> => {
    loading ??= loadFiles(compilation.files);
    return loading;
  };
  return {
    source,
    program,
    lowered,
    hash: () => readHash(compilation.files),
    compiled: async () => (await load()).policies,
    traced: async () => (await load()).traced(),
  };
}

/** Reads the hash, which has its own module: this needs no bundling. */
async function readHash(files: Compilation['files']): Promise<string> {
  const hashFile = files.find(({ path }) => path === HASH_FILE) ?? invariant('every compilation has a hash');
  return (await importModule<Pick<CompiledBundle, 'hash'>>(hashFile.text)).hash;
}

async function loadFiles(files: Compilation['files']): Promise<BundleModule> {
  // A run that does not bundle does not load esbuild.
  const { loadEmitted } = await import('../../../compiler/bundle/load-emitted.js');
  return loadEmitted(files, runtimeFolder());
}
