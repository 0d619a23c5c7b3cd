import { randomBytes } from 'node:crypto';
import { constants, existsSync, type Stats } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Entries beyond this total are deleted, the oldest first. A larger one is not written. */
const MOST_BYTES = 1024 * 1024 * 1024;

const ENTRY = /^[0-9a-f]{64}\.cache$/;

/**
 * The folder of the cache: `.cache/authz` in the nearest `node_modules` at or above the working directory. Undefined if
 * there is none: nothing is written outside of a project.
 */
export function defaultCacheFolder(): string | undefined {
  for (let folder = resolve('.'); ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    if (existsSync(modules)) return join(modules, '.cache', 'authz');
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * The bytes of an entry; undefined if there is none that can be read, or if another user could have written it: its
 * texts become code, and the folder may be one that users share.
 */
export async function readEntry(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    // Opening a named pipe would otherwise wait for its writer.
    const handle = await open(join(folder, `${name}.cache`), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      return stats.isFile() && isOwn(stats) ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Whether a file belongs to this user, and only this user can write to it. Windows has no such modes. */
function isOwn({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/**
 * Writes an entry and deletes old ones. A reader sees the old bytes or the new ones, also if several processes write at
 * the same time. A cache that cannot be written is not an error: the next compilation takes longer.
 */
export async function writeEntry(folder: string, name: string, parts: readonly Uint8Array[]): Promise<void> {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (size > MOST_BYTES) return;
  const temporary = join(folder, `.${name.slice(0, 16)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writev(parts as Uint8Array[]);
    } finally {
      await handle.close();
    }
    if ((await stat(temporary)).size === size) await rename(temporary, join(folder, `${name}.cache`));
    await removeOldEntries(folder);
  } catch {
    // The disk may be full or read-only.
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

async function removeOldEntries(folder: string): Promise<void> {
  const entries: { readonly path: string; readonly size: number; readonly mtimeMs: number }[] = [];
  for (const name of await readdir(folder)) {
    if (!ENTRY.test(name) && !ABANDONED.test(name)) continue;
    const path = join(folder, name);
    const { size, mtimeMs } = await stat(path);
    if (ENTRY.test(name)) entries.push({ path, size, mtimeMs });
    // A process that was killed leaves its temporary file.
    else if (Date.now() - mtimeMs > HOUR) await rm(path, { force: true });
  }
  let total = 0;
  for (const { path, size } of entries.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    total += size;
    if (total > MOST_BYTES) await rm(path, { force: true });
  }
}

const ABANDONED = /^\.[0-9a-f]{16}\.[0-9a-f]{12}\.tmp$/;
const HOUR = 3_600_000;
