import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { RUNTIME_IMPORT, runtimeModule } from '../../compiler/bundle/index.js';

/** The parts of the runtime that generated code imports. */
const PARTS = ['cel', 'policy', 'residual', 'schema', 'row-schema', 'engine', 'parts', 'explain'];

let folder: Promise<string> | undefined;

/**
 * Where the parts of the runtime are in a copy that is not the runtime of this process, as that of a bundle is not that
 * of its server. The copy is made once. The result maps the path with which generated code imports a part to its URL.
 * @param root the folder of this repository.
 */
export async function runtimeCopy(root: string): Promise<(specifier: string) => string> {
  folder ??= copied(root);
  const path = await folder;
  return (specifier) => pathToFileURL(join(path, `${specifier.replace(RUNTIME_IMPORT, '')}.js`)).href;
}

async function copied(root: string): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'authz-runtime-'));
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  // Without it, Node takes the files for CommonJS.
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
  const runtime = join(root, 'runtime');
  await build({
    entryPoints: PARTS.map((part) => ({ in: runtimeModule(runtime, `#runtime/${part}`), out: part })),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    outdir,
    absWorkingDir: root,
    logLevel: 'silent',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return outdir;
}
