import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { RUNTIME_IMPORT, runtimeModule } from '../../compiler/bundle/index.js';
import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { BUNDLE_ENTRY, type EmittedFile } from '../../compiler/ir/emitted-file.js';

const RUNTIME = fileURLToPath(new URL('../../runtime', import.meta.url));

/**
 * The bundle of emitted files as one module that imports the runtime instead of containing it, because bundling the
 * runtime takes far longer than the rest. All such bundles of a process share one copy of the runtime. It is not the
 * runtime of this process, as that of a bundle is not that of its server.
 */
export async function linkedBundle(emitted: readonly Pick<EmittedFile, 'path' | 'text'>[]): Promise<string> {
  const copy = await runtimeCopy();
  const files = new Map(emitted.map(({ path, text }) => [path, text]));
  const { outputFiles } = await build({
    entryPoints: [BUNDLE_ENTRY],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'emitted',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({
            path: pathToFileURL(join(copy, `${path.replace(RUNTIME_IMPORT, '')}.js`)).href,
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
  return outputFiles[0]?.text ?? '';
}

let copied: Promise<string> | undefined;

/** The folder of the copy of the runtime, with a module for each part. */
function runtimeCopy(): Promise<string> {
  copied ??= copyRuntime();
  return copied;
}

async function copyRuntime(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'authz-runtime-'));
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  // Without it, Node takes the files for CommonJS.
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
  const manifest = JSON.parse(readFileSync(join(RUNTIME, '..', 'package.json'), 'utf8')) as {
    readonly exports: { readonly [entry: string]: string };
  };
  const parts = Object.keys(manifest.exports)
    .map((entry) => `${PACKAGE_NAMES.library}${entry.slice(1)}`)
    .filter((specifier) => RUNTIME_IMPORT.test(specifier));
  await build({
    entryPoints: parts.map((part) => ({ in: runtimeModule(RUNTIME, part), out: part.replace(RUNTIME_IMPORT, '') })),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    outdir,
    logLevel: 'silent',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return outdir;
}
