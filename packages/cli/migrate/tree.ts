import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_FILE_SIZE } from '../../../compiler/load/index.js';

/** The text files of a repository, by path with `/`, sorted. */
export type Tree = ReadonlyMap<string, string>;

/** The folder with the originals of files that were changed outside of git. */
export const BACKUP_FOLDER = '.authz-migrate';

/** Folders of tools and packages, which a migration does not change. */
const FOREIGN = new Set(['.git', '.next', '.venv', '__pycache__', 'node_modules', 'venv', BACKUP_FOLDER]);

/** More files than any repository of sources has; what comes after is not read. */
const MOST_FILES = 200_000;

/**
 * Reads the text files below a folder. Symbolic links are not followed; large files, binary files and folders of
 * packages are left out.
 */
export function readTree(root: string): Tree {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`\`${root}\` is not a directory`);
  const files: (readonly [string, string])[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !FOREIGN.has(entry.name)) folders.push(path);
      const text = files.length < MOST_FILES ? readText(root, path, entry) : undefined;
      if (text !== undefined) files.push([path, text]);
    }
  }
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readText(root: string, path: string, entry: Dirent): string | undefined {
  if (!entry.isFile() || statSync(join(root, path)).size > MAX_FILE_SIZE) return undefined;
  const bytes = readFileSync(join(root, path));
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
