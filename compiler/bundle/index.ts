import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { PACKAGE_NAMES } from '../package-names.js';
import { BUNDLE_ENTRY, type EmittedFile } from '../ir/emitted-file.js';
import { shards } from './shards.js';
import { type BundlePlace, EMITTED, placedMap } from './source-map.js';

/**
 * The policies as one JavaScript module, and its source map to the policies. The module does not link the map: the name
 * of its file is not known yet (docs/decisions/compiler.md#0052).
 */
export interface Bundle {
  /** The code in parts: as one string, a large bundle would be in memory twice. */
  readonly parts: readonly string[];
  /** The code. */
  readonly js: string;
  /** A source map (version 3) as JSON. It names the sources, and does not contain their texts. */
  readonly map: string;
}

/**
 * Bundles emitted files into one ESM module that runs anywhere: it exports `policies`, `traced`, `selects`, `explainer`, `subjects`
 * if it was emitted and, for queries by its host, `patternsFailedOnHost`.
 * @param runtime the folder of the runtime's sources, which generated code imports as `authz/runtime/...`.
 * @param place where the bundle will be, for the paths in its map. The code does not depend on it.
 */
export async function bundle(files: readonly EmittedFile[], runtime: string, place?: BundlePlace): Promise<Bundle> {
  const root = dirname(runtime);
  const { modules, head } = shards(files);
  const result = await build({
    ...buildOptions(runtime),
    entryPoints: [BUNDLE_ENTRY],
    sourcemap: 'external',
    sourcesContent: false,
    plugins: [runtimeSources(runtime), emittedFiles(modules, runtime)],
  });
  const text = (ending: string): string => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const parts = [...(head?.parts ?? []), text('.js')];
  return {
    parts,
    get js() {
      return parts.join('');
    },
    map: placedMap(text('.map'), root, place, head),
  };
}

/** How esbuild bundles modules that run anywhere. */
export function buildOptions(runtime: string): BuildOptions & { readonly write: false } {
  return {
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    // No settings of a project: a bundle depends only on its policies, and a lookup of settings occasionally misses a
    // file.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    // The code mentions the paths of modules: it must not depend on the folder that the compiler is started in.
    absWorkingDir: dirname(runtime),
    outfile: 'policies.js',
    write: false,
    logLevel: 'silent',
    // The runtime lacks what generated code names.
    logOverride: { 'import-is-undefined': 'error' },
  };
}

/** What imports a part of the runtime in generated code: `authz/runtime/cel`. */
export const RUNTIME_IMPORT = new RegExp(`^${PACKAGE_NAMES.library}/runtime/`);

/**
 * The source file that such an import refers to, as in the `exports` of package.json.
 * @param runtime the folder of the runtime's sources.
 */
export function runtimeModule(runtime: string, specifier: string): string {
  const name = specifier.replace(RUNTIME_IMPORT, '');
  const elsewhere = ELSEWHERE.get(name);
  return elsewhere === undefined ? join(runtime, name, 'index.ts') : join(dirname(runtime), elsewhere);
}

/** The modules of the runtime that are not in a folder of their name, by the path from the top folder. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['cel', 'packages/cel/runtime/index.ts'],
  ['explain', 'packages/analysis/explain/index.ts'],
  ['partial', 'packages/analysis/partial/index.ts'],
  ['parts', 'runtime/engine/parts.ts'],
  ['schema', 'packages/json-schema/index.ts'],
  ['subjects', 'packages/analysis/subjects/index.ts'],
]);

/** Finds the parts of the runtime among its sources. */
export function runtimeSources(runtime: string): Plugin {
  return {
    name: 'runtime-sources',
    setup({ onResolve }) {
      onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({ path: runtimeModule(runtime, path) }));
      // Under Plug'n'Play, esbuild finds packages only below the folder with the map of packages, and the compiler may be
      // in a cache elsewhere.
      if (process.versions['pnp'] !== undefined) {
        onResolve({ filter: /^re2js$/ }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) }));
      }
    },
  };
}

/** Serves the modules from memory: a bundle does not need a generated folder. */
export function emittedFiles(modules: ReadonlyMap<string, string>, runtime: string): Plugin {
  return {
    name: 'emitted-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, kind }) =>
        kind === 'entry-point' ? { path, namespace: EMITTED } : undefined,
      );
      onResolve({ filter: /\.ts$/, namespace: EMITTED }, ({ path }) => ({ path, namespace: EMITTED }));
      // Loaded on demand, and therefore not changed.
      onResolve({ filter: /\.js$/, namespace: EMITTED }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts'),
        namespace: EMITTED,
      }));
      onLoad({ filter: /.*/, namespace: EMITTED }, ({ path }) => {
        const contents = modules.get(path);
        if (contents === undefined) return { errors: [{ text: `${path} was not emitted` }] };
        return { contents, loader: 'ts', resolveDir: dirname(runtime) };
      });
    },
  };
}
