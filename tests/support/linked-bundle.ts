import { dirname, posix } from 'node:path';
import { build } from 'esbuild';
import { RUNTIME_IMPORT } from '../../compiler/bundle/index.js';
import type { Compilation } from '../../compiler/compile.js';

/**
 * The bundle of a compilation as one module that imports the runtime instead of containing it: bundling the runtime
 * takes far longer than the rest. Throws with the diagnostics when there is none.
 * @param runtimeUrl the URL of a part of the runtime, by the path with which generated code imports it.
 */
export async function linkedBundle(
  compilation: Compilation,
  runtimeUrl: (specifier: string) => string,
): Promise<string> {
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
          onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({ path: runtimeUrl(path), external: true }));
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
  return outputFiles[0]?.text ?? '';
}
