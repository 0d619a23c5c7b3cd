import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from './build-programs.js';

const SOURCE = 'packages/editor/vscode';

/**
 * Writes the extension for VS Code to a folder: one script that contains the client of the language server, and a
 * manifest with the version of the repository.
 *
 * @returns what the script imports from outside.
 */
export async function buildVscode(folder: string): Promise<readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(SOURCE, 'extension.mts')],
    outfile: join(folder, 'extension.cjs'),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['vscode'],
    metafile: true,
    logLevel: 'warning',
  });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const manifest = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`);
  for (const name of ['README.md', 'CHANGELOG.md', 'icon.png', 'images'])
    cpSync(join(SOURCE, name), join(folder, name), { recursive: true });
  copyFileSync('LICENSE', join(folder, 'LICENSE.txt'));
  writeFileSync(join(folder, 'third-party-licenses.txt'), licensesOf(Object.keys(metafile.inputs)));
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
}
