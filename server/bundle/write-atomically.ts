import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file so that a reader, and a machine that loses power, sees either the old content or the new one. Rejects
 * and leaves the old content if that is not possible, such as on a full disk. Several processes may write the same file,
 * also of machines that give processes the same number: the last one wins.
 */
export async function writeAtomically(file: string, content: Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
