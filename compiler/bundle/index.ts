import { dirname, join, posix } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { EmittedFile } from '../ir/emitted-file.js';
import { shards } from './shards.js';

/**
 * The policies as one JavaScript module, and the map from it back to the lines of the policies, which the module does
 * not link.
 */
export interface Bundle {
  readonly js: string;
  /** A source map (version 3) as JSON. */
  readonly map: string;
}

/**
 * Bundles emitted files into one ESM module that runs anywhere: it exports `policies`, `traced` and, to be asked about
 * its host, `patternsLeftToRe2`.
 *
 * @param runtime the folder of the runtime's sources, which generated code imports as `#runtime/...`.
 */
export async function bundle(files: readonly EmittedFile[], runtime: string): Promise<Bundle> {
  const result = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    sourcemap: 'external',
    legalComments: 'none',
    // No project's settings: a bundle depends on its policies alone, and where settings are looked up, now and then a
    // file misses them.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    outfile: 'policies.js',
    write: false,
    logLevel: 'silent',
    plugins: [emittedFiles(files, runtime)],
  });
  const text = (ending: string): string => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { js: text('.js'), map: text('.map') };
}

/**
 * The source file that `#runtime/...` stands for, as in the `imports` of package.json.
 *
 * @param runtime the folder of the runtime's sources.
 */
export function runtimeModule(runtime: string, specifier: string): string {
  const name = specifier.slice('#runtime/'.length);
  return name === 'parts' ? join(runtime, 'engine', 'parts.ts') : join(runtime, name, 'index.ts');
}

const ENTRY = 'index.ts';
/** A bundle has a runtime of its own, which alone knows its patterns. */
const PATTERNS = "\nexport { patternsLeftToRe2 } from '#runtime/cel';\n";

/** Serves the modules from memory: a bundle can be made without a generated folder. */
function emittedFiles(files: readonly EmittedFile[], runtime: string): Plugin {
  const modules = shards(files);
  return {
    name: 'emitted-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#runtime\// }, ({ path }) => ({ path: runtimeModule(runtime, path) }));
      onResolve({ filter: /^index\.ts$/ }, ({ kind }) =>
        kind === 'entry-point' ? { path: ENTRY, namespace: 'emitted' } : undefined,
      );
      onResolve({ filter: /\.ts$/, namespace: 'emitted' }, ({ path }) => ({ path, namespace: 'emitted' }));
      // Loaded when asked for, so still as it was emitted.
      onResolve({ filter: /\.js$/, namespace: 'emitted' }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts'),
        namespace: 'emitted',
      }));
      onLoad({ filter: /.*/, namespace: 'emitted' }, ({ path }) => {
        const contents = modules.get(path);
        if (contents === undefined) return { errors: [{ text: `${path} was not emitted` }] };
        return {
          contents: path === ENTRY ? contents + PATTERNS : contents,
          loader: 'ts',
          resolveDir: dirname(runtime),
        };
      });
    },
  };
}
