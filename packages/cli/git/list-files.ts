import { gitRecords, type GitOptions } from './git.js';
import type { RevisionFolder } from './revisions.js';

/** The modes of git for what is not a file. */
export const LINK = '120000';
const SUBMODULE = '160000';

/** A file, link or submodule in a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
  /** Size in bytes. */
  readonly size: number;
  /** Below the folder, with `/`. */
  readonly path: string;
}

/**
 * Limits of a listing. A tree can contain another one many times, so that a repository of a few objects has more files
 * than any memory.
 */
const MOST_LISTED = 500_000;
const MOST_KEPT = 200_000;

/**
 * The files below a folder of a revision that are accepted. Reads the output of git while it comes, and keeps nothing
 * else of it.
 *
 * @throws Error if the revision has no such folder, or it has a submodule or too many files.
 */
export async function listFiles(
  { revision, tree, path }: RevisionFolder,
  options: GitOptions,
  accepts: (entry: TreeEntry) => boolean,
): Promise<readonly TreeEntry[]> {
  const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', tree, '--', ...(path === '' ? [] : [path])];
  const kept: TreeEntry[] = [];
  let listed = 0;
  const take = (entry: TreeEntry): void => {
    if (path !== '' && entry.path === path)
      throw new Error(`\`${path}\` is not a folder in \`${revision}\`, but ${findType(entry)}`);
    const below = path === '' ? entry : { ...entry, path: entry.path.slice(path.length + 1) };
    if (entry.mode === SUBMODULE)
      throw new Error(
        `\`${entry.path}\` is a submodule in \`${revision}\`, whose files are in another repository; compare folders instead`,
      );
    listed += 1;
    if (accepts(below)) kept.push(below);
    if (listed > MOST_LISTED || kept.length > MOST_KEPT)
      throw new Error(
        `\`${revision}\` has more than ${MOST_LISTED} files, or ${MOST_KEPT} that policies could need; name a smaller folder`,
      );
  };
  for await (const records of gitRecords(args, options)) for (const record of records) take(parseEntry(record));
  if (listed === 0 && path !== '')
    throw new Error(`\`${revision}\` has no folder \`${path}\`; --dir names the folder of the policies`);
  return kept;
}

/** `100644 blob 5a0c…     123<tab>path` */
function parseEntry(line: Buffer): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , id = '', size = ''] = line.toString('latin1', 0, tab).split(/ +/);
  return { mode, id, size: Number(size), path: line.toString('utf8', tab + 1) };
}

function findType({ mode }: TreeEntry): string {
  if (mode === SUBMODULE) return 'a submodule';
  return mode === LINK ? 'a symbolic link' : 'a file';
}
