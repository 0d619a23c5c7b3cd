import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { RUNTIME_IMPORT, runtimeModule } from '../../../compiler/bundle/index.js';
import { type BundleModule, importBundle } from '../../../compiler/bundle/import-bundle.js';
import type { Compilation } from '../../../compiler/compile.js';
import { ROOT } from '../compiled.js';

/**
 * Loads the bundle of a compilation with the runtime of this process instead of its own copy, so that thousands of them
 * fit into memory and load quickly.
 */
export async function loadSharedRuntime(compilation: Compilation): Promise<BundleModule> {
  if (compilation.program === undefined)
    throw new Error(compilation.diagnostics.map(({ source, message }) => `${source?.path}: ${message}`).join('\n'));
  const files = new Map(compilation.files.map(({ path, text }) => [path, text]));
  const { outputFiles } = await build({
    entryPoints: ['index.ts'],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'emitted',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({
            path: pathToFileURL(runtimeModule(join(ROOT, 'runtime'), path)).href,
            external: true,
          }));
          onResolve({ filter: /.*/ }, ({ path, importer }) => ({
            path: posix.join(dirname(importer), path).replace(/\.js$/, '.ts'),
            namespace: 'emitted',
          }));
          onLoad({ filter: /.*/, namespace: 'emitted' }, ({ path }) => ({
            contents: files.get(path) ?? '',
            loader: 'ts',
          }));
        },
      },
    ],
  });
  return importBundle(outputFiles[0]?.text ?? '');
}
