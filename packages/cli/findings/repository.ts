import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The closest folder above with a `.git`, which is a file in worktrees; the folder itself if there is none. */
export function findRepository(folder: string): string {
  for (let parent = folder; ; parent = dirname(parent)) {
    if (existsSync(join(parent, '.git'))) return parent;
    if (parent === dirname(parent)) return folder;
  }
}

/** A path below a repository, with `/`, of a file or a folder; a folder keeps its final slash. */
export function pathInRepository(path: string, root: string): string {
  const inside = relative(root, resolve(path)).split(sep).join('/');
  return path.endsWith('/') ? `${inside}/` : inside;
}
