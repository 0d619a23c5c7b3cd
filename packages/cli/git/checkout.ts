import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isReadFromPolicies, MAX_FILE_SIZE } from '../../../compiler/load/index.js';
import { type GitOptions, openObjects } from './git.js';
import { LINK, listFiles, type TreeEntry } from './list-files.js';
import type { RevisionFolder } from './revisions.js';

/**
 * Writes the policies of a folder of a revision into an empty folder, as a checkout would, but without hooks, filters
 * and attributes: `export-ignore` would drop policies silently (docs/spec/analysis.md#sets-of-policies).
 *
 * A file that is too large for a policy becomes a sparse file of its size, which loading refuses with a diagnostic.
 *
 * @throws Error if the revision has no such folder, or has something in it that cannot be written.
 */
export async function checkOut(
  from: RevisionFolder,
  to: string,
  options: GitOptions,
  { links: hasLinks = true, maxSize = Number.POSITIVE_INFINITY }: CheckOutOptions = {},
): Promise<void> {
  let size = 0;
  const accepts = (entry: TreeEntry, isAnyFileRead: boolean): boolean => {
    const isLink = entry.mode === LINK;
    if (isLink && !hasLinks)
      throw new Error(`\`${entry.path}\` is a symbolic link in \`${from.revision}\`; copy the file instead`);
    const isRead = isLink || isAnyFileRead || isReadFromPolicies(entry.path);
    if (isRead && !isLink) size += entry.size;
    if (size > maxSize) throw new Error(`the policies in \`${from.revision}\` have more than ${maxSize} bytes`);
    return isRead;
  };
  let entries = await listFiles(from, options, (entry) => accepts(entry, false));
  const links = entries.filter(({ mode }) => mode === LINK);
  size = 0;
  // A link can lead to a file of any name.
  if (links.length > 0) entries = await listFiles(from, options, (entry) => accepts(entry, true));
  const files = entries.filter(({ mode }) => mode !== LINK);
  const objects = openObjects(options);
  try {
    for (const entry of files) {
      const isTooLarge = entry.size > MAX_FILE_SIZE;
      const content = isTooLarge ? '' : await objects.read(entry.id);
      const file = await placeFor(entry, to, from);
      await once(writeFile(file, content, { flag: 'wx' }), entry, from);
      if (isTooLarge) await truncate(file, entry.size);
    }
    // Last, so that nothing is written through a link.
    for (const entry of links) {
      const target = (await objects.read(entry.id)).toString('utf8');
      await once(symlink(target, await placeFor(entry, to, from)), entry, from);
    }
  } finally {
    await objects.close();
  }
}

export interface CheckOutOptions {
  /** Whether symbolic links are written. Those of others could lead to any file of this computer. */
  readonly links?: boolean;
  /** Size of all files together, in bytes. A small repository can have much larger files. */
  readonly maxSize?: number;
}

/** The path of a file whose folder exists. Trees can be made with names that lead out of it. */
async function placeFor({ path }: TreeEntry, folder: string, { revision }: RevisionFolder): Promise<string> {
  const isSafe = path
    .split('/')
    .every((name) => !['', '.', '..'].includes(name) && (sep === '/' || !/[\\:]/.test(name)));
  // Bytes that are not UTF-8 have been replaced.
  if (!isSafe || path.includes('\ufffd'))
    throw new Error(`\`${revision}\` has a path that cannot be written: \`${path}\``);
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  return file;
}

/** Some file systems take two names of a tree for one. */
async function once(written: Promise<void>, { path }: TreeEntry, { revision }: RevisionFolder): Promise<void> {
  await written.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`\`${path}\` in \`${revision}\` has the name of another file on this file system`);
  });
}
