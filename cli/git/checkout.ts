import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isReadFromPolicies, MAX_FILE_SIZE } from '../../compiler/load/index.js';
import { failure, type RevisionFolder } from './revisions.js';
import { git, type GitOptions, openObjects } from './git.js';

/** The modes of git for what is not a file. */
const LINK = '120000';
const SUBMODULE = '160000';

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
  const entries = await entriesOf(from, options);
  const link = entries.find(({ mode }) => mode === LINK);
  if (!hasLinks && link !== undefined)
    throw new Error(`\`${link.path}\` is a symbolic link in \`${from.revision}\`; copy the file instead`);
  const links = entries.filter(({ mode }) => mode === LINK);
  const files = entries.filter(({ mode }) => mode !== LINK && mode !== SUBMODULE);
  // A link can lead to a file of any name.
  const read = links.length > 0 ? files : files.filter(({ path }) => isReadFromPolicies(path));
  if (read.reduce((sum, { size }) => sum + size, 0) > maxSize)
    throw new Error(`the policies in \`${from.revision}\` have more than ${maxSize} bytes`);
  const objects = openObjects(options);
  try {
    for (const entry of read) {
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
  /** Of all files together, in bytes. A small repository can have much larger files. */
  readonly maxSize?: number;
}

interface Entry {
  readonly mode: string;
  readonly id: string;
  /** In bytes. */
  readonly size: number;
  /** Below the folder, with `/`. */
  readonly path: string;
}

async function entriesOf({ revision, tree, path }: RevisionFolder, options: GitOptions): Promise<readonly Entry[]> {
  const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', tree, '--', ...(path === '' ? [] : [path])];
  const result = await git(args, options);
  if (result.code !== 0) throw failure(result);
  const entries = linesOf(result.stdout).map(entryOf);
  const named = entries.find((entry) => entry.path === path);
  if (named !== undefined) throw new Error(`\`${path}\` is not a folder in \`${revision}\`, but ${typeOf(named)}`);
  if (entries.length === 0 && path !== '')
    throw new Error(`\`${revision}\` has no folder \`${path}\`; --dir names the folder of the policies`);
  const submodule = entries.find((entry) => entry.mode === SUBMODULE);
  if (submodule !== undefined)
    throw new Error(
      `\`${submodule.path}\` is a submodule in \`${revision}\`, whose files are in another repository; compare folders instead`,
    );
  return path === '' ? entries : entries.map((entry) => ({ ...entry, path: entry.path.slice(path.length + 1) }));
}

function linesOf(output: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = output.indexOf(0); end >= 0; start = end + 1, end = output.indexOf(0, start))
    lines.push(output.subarray(start, end));
  return lines;
}

/** `100644 blob 5a0c…     123<tab>path` */
function entryOf(line: Buffer): Entry {
  const tab = line.indexOf('\t');
  const [mode = '', , id = '', size = ''] = line.toString('latin1', 0, tab).split(/ +/);
  return { mode, id, size: Number(size), path: line.toString('utf8', tab + 1) };
}

function typeOf({ mode }: Entry): string {
  if (mode === SUBMODULE) return 'a submodule';
  return mode === LINK ? 'a symbolic link' : 'a file';
}

/** The path of a file whose folder exists. Trees can be made with names that lead out of it. */
async function placeFor({ path }: Entry, folder: string, { revision }: RevisionFolder): Promise<string> {
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
async function once(written: Promise<void>, { path }: Entry, { revision }: RevisionFolder): Promise<void> {
  await written.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`\`${path}\` in \`${revision}\` has the name of another file on this file system`);
  });
}
