import { build, type Plugin } from 'esbuild';
import { BUNDLE_ENTRY, type EmittedFile } from '../ir/emitted-file.js';
import { PACKAGE_NAMES } from '../package-names.js';
import { type BundleModule, importBundle, importModule } from './import-bundle.js';
import { buildOptions, bundle, emittedFiles, RUNTIME_IMPORT, runtimeSources } from './index.js';
import { shards } from './shards.js';

/** The exports of a part of the runtime, by name. */
type Part = { readonly [name: string]: unknown };

/** The runtime as this process bundled it, which is not the one that it was started with. */
interface LoadedRuntime {
  /** The parts by the specifier in generated code: `authz/runtime/cel`. */
  readonly parts: { readonly [specifier: string]: Part };
}

/** The parts that generated code imports, unless it explains decisions, or decides while facts are unknown. */
const PARTS = ['cel', 'parts', 'policy', 'residual', 'row-schema', 'schema'].map(
  (part) => `${PACKAGE_NAMES.library}/runtime/${part}`,
);

/** Loaded runtimes by the folder of their sources. */
const runtimes = new Map<string, Promise<LoadedRuntime>>();

/**
 * Loads emitted files as policies that decide in this process. All of them share one copy of the runtime, which is most
 * of the work of bundling: the second and later policies of a process load in a tenth of the time that their bundle
 * takes. Policies that explain decisions, or decide while facts are unknown, have a bundle of their own.
 *
 * @param runtime the folder of the runtime's sources, which generated code imports as `authz/runtime/...`.
 */
export async function loadEmitted(files: readonly EmittedFile[], runtime: string): Promise<BundleModule> {
  if (files.some(({ imports }) => imports.some(({ from }) => BY_PROGRAM.has(from))))
    return importBundle((await bundle(files, runtime)).js);
  const { modules, head } = shards(files);
  const { parts } = await loadRuntime(runtime);
  const { outputFiles } = await build({
    ...buildOptions(runtime),
    entryPoints: [BUNDLE_ENTRY],
    format: 'iife',
    globalName: LINKED,
    plugins: [loadedParts(parts), emittedFiles(modules, runtime)],
  });
  const text = [...(head?.parts ?? []), outputFiles[0]?.text ?? ''].join('');
  // The parts are the parameter of a function around the code, so that nothing is global.
  const linked = await importModule<{ readonly default: (parts: LoadedRuntime['parts']) => BundleModule }>(
    `export default (${GIVEN}) => {\n${text}\nreturn ${LINKED};\n};\n`,
  );
  return linked.default(parts);
}

/** Names in the code of linked policies. */
const LINKED = 'linkedPolicies';
const GIVEN = 'givenParts';

/** The parts that decide by the program of the policies. */
const BY_PROGRAM: ReadonlySet<string> = new Set(
  ['explain', 'partial'].map((part) => `${PACKAGE_NAMES.library}/runtime/${part}`),
);

function loadRuntime(folder: string): Promise<LoadedRuntime> {
  const known = runtimes.get(folder);
  if (known !== undefined) return known;
  const loading = bundleRuntime(folder);
  runtimes.set(folder, loading);
  // A failure is not kept: the next policies try again.
  loading.catch(() => runtimes.delete(folder));
  return loading;
}

async function bundleRuntime(folder: string): Promise<LoadedRuntime> {
  const imports = PARTS.map((specifier, index) => `import * as part${index} from '${specifier}';`);
  const entries = PARTS.map((specifier, index) => `'${specifier}': part${index}`);
  const { outputFiles } = await build({
    ...buildOptions(folder),
    stdin: { contents: `${imports.join('\n')}\nexport const parts = { ${entries.join(', ')} };\n`, resolveDir: folder },
    plugins: [runtimeSources(folder)],
  });
  return importModule(outputFiles[0]?.text ?? '');
}

/** Resolves the parts of the runtime to the ones that are loaded. */
function loadedParts(parts: LoadedRuntime['parts']): Plugin {
  const namespace = 'loaded-runtime';
  return {
    name: namespace,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({ path, namespace }));
      onLoad({ filter: /.*/, namespace }, ({ path }) => {
        const part = parts[path];
        if (part === undefined) return { errors: [{ text: `${path} is not a part of the runtime` }] };
        // Constants of a module are as fast as those of the runtime itself.
        return { contents: `export const { ${Object.keys(part).join(', ')} } = ${GIVEN}['${path}'];\n`, loader: 'js' };
      });
    },
  };
}
