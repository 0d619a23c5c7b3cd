import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleModule, importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { type Compilation, compile, type CompileOptions } from '../../compiler/compile.js';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { linkedBundle } from './linked-bundle.js';

/** The root of this repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Recorded material next to the repository. Suites that need it are skipped where it is absent. */
export const SHARED = join(ROOT, '..', 'shared');

/** Compiles policies given as source texts by path. */
export function compileTexts(texts: { readonly [path: string]: string }, options?: CompileOptions): Compilation {
  return compile(
    Object.entries(texts).map(([path, text]) => new Source(path, text)),
    undefined,
    options,
  );
}

/** Compiles the policy of one kind with some rules. */
export function compileRules(kind: string, rules: readonly object[], options?: CompileOptions): Compilation {
  const resourcePolicy = { resource: kind, version: 'default', rules };
  return compileTexts({ 'policy.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) }, options);
}

/**
 * Loads the bundle of a compilation with a runtime that all bundles of this process share, and that is not the runtime
 * of the test. Throws with the diagnostics when there is none.
 */
export async function loaded(compilation: Compilation): Promise<BundleModule> {
  return importBundle(await linkedBundle(filesOf(compilation)));
}

/** Loads the bundle of a compilation as a server would: with a runtime of its own. It takes some twenty times longer. */
export async function loadedAlone(compilation: Compilation): Promise<BundleModule> {
  const { js } = await bundle(filesOf(compilation), join(ROOT, 'runtime'));
  return importBundle(js);
}

function filesOf({ program, files, diagnostics }: Compilation): readonly EmittedFile[] {
  if (program === undefined)
    throw new Error(diagnostics.map(({ source, message }) => `${source?.path}: ${message}`).join('\n'));
  return files;
}
