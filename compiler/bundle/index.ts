import { dirname, join, posix } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { EmittedFile } from '../ir/emitted-file.js';
import { shards } from './shards.js';

/**
 * The policies as one JavaScript module, and its source map to the lines of the policies. The module does not link the
 * map.
 */
export interface Bundle {
  readonly js: string;
  /** A source map (version 3) as JSON. */
  readonly map: string;
}

/**
 * Bundles emitted files into one ESM module that runs anywhere: it exports `policies`, `traced` and, for queries by its
 * host, `patternsLeftToRe2`.
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
    // No settings of a project: a bundle depends only on its policies, and a lookup of settings occasionally misses a
    // file.
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
 * The source file that `#runtime/...` refers to, as in the `imports` of package.json.
 * @param runtime the folder of the runtime's sources.
 */
export function runtimeModule(runtime: string, specifier: string): string {
  const name = specifier.slice('#runtime/'.length);
  return name === 'parts' ? join(runtime, 'engine', 'parts.ts') : join(runtime, name, 'index.ts');
}

const ENTRY = 'index.ts';
/** Each bundle contains its own runtime, and only that one knows its patterns. */
const PATTERNS = "\nexport { patternsLeftToRe2 } from '#runtime/cel';\n";

/** Serves the modules from memory: a bundle does not need a generated folder. */
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
      // Loaded on demand, and therefore not changed.
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
