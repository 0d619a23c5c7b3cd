import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EmittedFile } from '../ir/emitted-file.js';

/** How a folder differs from what it should hold; paths below it, sorted. */
export interface Difference {
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** Files of an earlier run that no policy stands behind any more. */
  readonly stale: readonly string[];
}

/** Compares a folder with the files it should hold. A folder that does not exist holds nothing. */
export async function compareFolder(folder: string, files: readonly EmittedFile[]): Promise<Difference> {
  const present = await generatedFiles(folder);
  const expected = new Set(files.map(({ path }) => path));
  const missing: string[] = [];
  const changed: string[] = [];
  for (const { path, text } of files) {
    if (!present.has(path)) missing.push(path);
    else if ((await readFile(join(folder, path), 'utf8')) !== text) changed.push(path);
  }
  return { missing, changed, stale: [...present].filter((path) => !expected.has(path)).sort() };
}

/** Makes a folder hold exactly the files: only what differs is written, so that watchers and timestamps stay quiet. */
export async function writeFolder(folder: string, files: readonly EmittedFile[]): Promise<void> {
  const { missing, changed, stale } = await compareFolder(folder, files);
  const due = new Set([...missing, ...changed]);
  for (const path of stale) await rm(join(folder, path));
  for (const { path, text } of files) {
    if (!due.has(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** The files of a folder that authzc may have written; anything else in it is left alone. */
async function generatedFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile() && GENERATED.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll('\\', '/'));
  return new Set(paths);
}

const GENERATED = /\.(?:ts|js|json)$/;
