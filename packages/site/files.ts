import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Files } from './pages.js';

/** The folder of this repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The files of this repository. */
export const repositoryFiles: Files = {
  list: (folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder === 'docs', encoding: 'utf8' })
      .map((name) => (folder === '.' ? name : `${folder}/${name}`))
      .sort(),
  read: (path) => readFileSync(join(ROOT, path), 'utf8'),
};
