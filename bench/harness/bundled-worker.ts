import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.js';

/**
 * Bundles a worker of this folder, as programs are, with its packages beside it. Resolves with the path of the program.
 * What runs TypeScript from its source keeps the name of each closure, which took a tenth of the time of a request.
 *
 * @param folder where the program is written, beside the packages that it finds. By default as deep below the root as the
 *   files of the harness, which find the root from where they are.
 */
export async function bundleWorker(worker: string, folder = join(ROOT, '.cache', 'bench')): Promise<string> {
  const outfile = join(folder, `${worker}.mjs`);
  const entry = join(ROOT, 'bench', `${worker}.ts`);
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  return outfile;
}
