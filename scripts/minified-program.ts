import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { EmittedFile } from '../compiler/ir/emitted-file.js';

/**
 * A program over emitted policies as its author would ship it: one minified ESM module for any platform. In it
 * `policies` stands for the index of the emitted files, `authz/runtime/...` for the runtime.
 */
export async function minifiedProgram(text: string, files: readonly EmittedFile[] = []): Promise<string> {
  const result = await build({
    stdin: { contents: text, resolveDir: ROOT, sourcefile: 'program.ts', loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
    plugins: [emitted(files)],
  });
  return result.outputFiles[0]?.text ?? '';
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function emitted(files: readonly EmittedFile[]): Plugin {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return {
    name: 'emitted',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^policies$/ }, () => ({ path: 'index.ts', namespace: 'emitted' }));
      onResolve({ filter: /^\./, namespace: 'emitted' }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts'),
        namespace: 'emitted',
        sideEffects: false,
      }));
      onLoad({ filter: /.*/, namespace: 'emitted' }, ({ path }) => ({
        contents: texts.get(path) ?? '',
        loader: 'ts',
        resolveDir: ROOT,
      }));
    },
  };
}
