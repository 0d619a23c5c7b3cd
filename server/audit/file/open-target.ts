import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from '../../config/config-error.js';

/** An open file that audit lines are appended to. */
export interface OpenFile {
  readonly handle: FileHandle;
  /** A regular file has a size and can be cut; a pipe, a terminal or a device has not. */
  readonly isRegular: boolean;
  /** In bytes. */
  size: number;
}

/** Opens, or makes, the file of a path: readable by its owner alone. */
export async function openForAppend(path: string): Promise<OpenFile> {
  const handle = await open(path, 'a', 0o600);
  const info = await handle.stat();
  return { handle, isRegular: info.isFile(), size: info.size };
}

/**
 * Opens the file at start: a file that cannot be opened is a ConfigError about `key`
 * (docs/spec/server.md#start-failures).
 */
export async function probeFile(path: string, key: string): Promise<OpenFile> {
  try {
    return await openForAppend(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(await problemOf(path, code, message), key);
  }
}

/** Whether a path still leads to an open file: whoever rotates logs may have moved it away. */
export async function isAt(path: string, { handle }: OpenFile): Promise<boolean> {
  try {
    const [there, here] = await Promise.all([stat(path), handle.stat()]);
    return there.ino === here.ino && there.dev === here.dev;
  } catch {
    // Not there any more, or not to be seen: opening it again says why.
    return false;
  }
}

async function problemOf(path: string, code: string | undefined, message: string): Promise<string> {
  if (code === 'ENOENT') return `the folder \`${dirname(path)}\` of the audit file does not exist`;
  if (code === 'EISDIR') return `the audit file \`${path}\` is a folder`;
  return `the audit file \`${path}\` cannot be written: ${message}`;
}
