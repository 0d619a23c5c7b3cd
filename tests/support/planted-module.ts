import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './compiled.js';

/** A mistake in a file of the product. */
export interface Mistake {
  readonly name: string;
  /** Must occur once. */
  readonly find: string;
  readonly replace: string;
}

/**
 * Imports modules of the product of which one file has a mistake.
 *
 * @param file the path of the file in the repository.
 * @param exports what to import, as TypeScript: `export { a } from './runtime/a.ts';`.
 * @param folder where the bundle is written.
 */
export async function importWithMistake(
  { name, find, replace }: Mistake,
  file: string,
  exports: string,
  folder: string,
): Promise<unknown> {
  const outfile = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
  const contents = readFileSync(join(ROOT, file), 'utf8').replace(find, () => replace);
  const filter = new RegExp(`${file.replaceAll('.', '\\.')}$`);
  await build({
    stdin: { contents: exports, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    plugins: [{ name: 'mistake', setup: ({ onLoad }) => onLoad({ filter }, () => ({ contents, loader: 'ts' })) }],
  });
  return import(pathToFileURL(outfile).href);
}
