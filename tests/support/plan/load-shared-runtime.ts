import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runtimeModule } from '../../../compiler/bundle/index.js';
import { type BundleModule, importBundle } from '../../../compiler/bundle/import-bundle.js';
import type { Compilation } from '../../../compiler/compile.js';
import { ROOT } from '../compiled.js';
import { linkedBundle } from '../linked-bundle.js';

/**
 * Loads the bundle of a compilation with the runtime of this process instead of its own copy, so that thousands of them
 * fit into memory and load quickly.
 */
export async function loadSharedRuntime(compilation: Compilation): Promise<BundleModule> {
  const runtime = join(ROOT, 'runtime');
  return importBundle(
    await linkedBundle(compilation, (specifier) => pathToFileURL(runtimeModule(runtime, specifier)).href),
  );
}
