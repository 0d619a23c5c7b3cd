import { randomBytes } from 'node:crypto';
import { access, constants, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { visible } from '../../compiler/diagnostics/visible.js';

/** A file to be written. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
  /** Whether the text must be on the disk before it takes the place of the old one: a server reads it after a crash. */
  readonly durable?: boolean;
}

/**
 * Writes files so that a reader sees either the old or the new text of each. All are first written to temporary files
 * next to them, then renamed in the given order. If one cannot be written (disk full, no permission), all files keep
 * their old text and no temporary file remains. A replaced file keeps its mode. The caller has checked that the paths
 * are its own to overwrite.
 */
export async function replaceFiles(files: readonly OutputFile[]): Promise<void> {
  const staged: { readonly temporary: string; readonly path: string }[] = [];
  try {
    for (const file of files) {
      const temporary = join(
        dirname(file.path),
        `.${basename(file.path).slice(0, LONGEST_STEM)}.${randomBytes(6).toString('hex')}.tmp`,
      );
      await writing(file.path, async () => {
        const mode = await modeOf(file.path);
        await mkdir(dirname(file.path), { recursive: true });
        staged.push({ temporary, path: file.path });
        await writeNew(temporary, file, mode);
      });
    }
    for (const { temporary, path } of staged) await writing(path, () => rename(temporary, path));
  } finally {
    // After a rename there is nothing left to remove.
    for (const { temporary } of staged) await rm(temporary, { force: true });
  }
}

/** File systems allow names of 255 bytes; a character takes up to four. */
const LONGEST_STEM = 50;

/** The mode of the file to replace; undefined if there is none. Throws if the file is not writable. */
async function modeOf(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(orNothing);
  if (stats === undefined) return undefined;
  await access(path, constants.W_OK);
  return stats.mode & PERMISSIONS;
}

const PERMISSIONS = 0o777;

async function writeNew(path: string, { text, durable = false }: OutputFile, mode: number | undefined): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(text);
    if (mode !== undefined) await handle.chmod(mode);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Errors of the file system name the temporary file or none at all. */
async function writing(path: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`cannot write \`${visible(path)}\`: ${REASONS.get(code ?? '') ?? visible(message)}`, {
      cause: error,
    });
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the file would be larger than the limit of this process'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a file stands where a folder should be'],
  ['EEXIST', 'a file stands where a folder should be'],
  ['ENAMETOOLONG', 'the name is too long'],
]);

/** For a file that may be missing: a missing one is undefined, any other failure is passed on. */
export function orNothing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
