import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';

/**
 * A hash of all code that decides what a compilation writes: this program, the sources of the runtime, Node and the
 * versions of the packages. Undefined if the program runs from its sources, which may change while it runs.
 */
export function programHash(): string | undefined {
  const chunks = dirname(fileURLToPath(import.meta.url));
  if (basename(chunks) !== 'chunks') return undefined;
  const hash = createHash('sha256').update(process.version);
  const addFolder = (folder: string, ending: string): void => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith(ending) && !name.endsWith('.test.ts'),
    );
    for (const name of names.sort())
      hash
        .update(`${name}\0`)
        .update(readFileSync(join(folder, name)))
        .update('\0');
  };
  addFolder(chunks, '.js');
  addFolder(runtimeFolder(), '.ts');
  const { resolve } = createRequire(import.meta.url);
  for (const name of PACKAGES) hash.update(readFileSync(join(packageFolder(resolve(name), name), 'package.json')));
  return hash.digest('hex');
}

/** Not every package exports its package.json. */
function packageFolder(file: string, name: string): string {
  const folder = join('node_modules', name);
  return file.slice(0, file.lastIndexOf(folder) + folder.length);
}

/** The packages that the compiler runs, and those that bundles include. */
const PACKAGES = ['@jridgewell/sourcemap-codec', 'esbuild', 're2js', 'yaml'];
