/*
 * Hooks of Node that load one module of the product with a mistake in it, from the variable `MISTAKE`: JSON of `file`,
 * `find` and `replace`. Pass `--import` of plant.mjs after that of tsx.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const { file, find, replace } = JSON.parse(process.env['MISTAKE'] ?? '{}');

export async function load(url, context, nextLoad) {
  const path = url.startsWith('file:') ? fileURLToPath(url.split('?')[0]) : '';
  if (!path.replaceAll('\\', '/').endsWith(`/${file}`)) return nextLoad(url, context);
  const contents = readFileSync(path, 'utf8').replace(find, () => replace);
  const { code } = transformSync(contents, { loader: 'ts', format: 'esm', target: 'node20' });
  return { format: 'module', source: code, shortCircuit: true };
}
