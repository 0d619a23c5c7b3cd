import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { LogRotation } from '../../config/audit-config.js';

const DAY = 24 * 3_600_000;

/**
 * Moves a full log aside: `audit.log` becomes `audit-2024-05-06T07-08-09.123.log`; a name that is taken gets a number.
 */
export async function moveAside(path: string, now: number): Promise<void> {
  const { prefix, extension } = nameParts(path);
  const stamp = new Date(now).toISOString().slice(0, -1).replaceAll(':', '-');
  const folder = dirname(path);
  for (let number = 0; ; number++) {
    const target = join(folder, `${prefix}${stamp}${number === 0 ? '' : `.${number}`}${extension}`);
    if (await exists(target)) continue;
    await rename(path, target);
    return;
  }
}

/** Deletes logs that were moved aside and are too old or too many. Other files are never touched. */
export async function deleteExpired(
  path: string,
  { maxFileAgeDays, maxFileCount }: LogRotation,
  now: number,
): Promise<void> {
  if (maxFileAgeDays === 0 && maxFileCount === 0) return;
  const files = await rotatedFiles(path);
  const expired = files.filter(({ time }, index) => {
    const isOld = maxFileAgeDays > 0 && now - time > maxFileAgeDays * DAY;
    return isOld || (maxFileCount > 0 && index >= maxFileCount);
  });
  for (const { name } of expired) await unlink(join(dirname(path), name));
}

interface RotatedFile {
  readonly name: string;
  /** When it was moved aside, in milliseconds since 1970. */
  readonly time: number;
  readonly number: number;
}

/** Newest first. */
async function rotatedFiles(path: string): Promise<readonly RotatedFile[]> {
  const { prefix, extension } = nameParts(path);
  const found: RotatedFile[] = [];
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) continue;
    const match = STAMP.exec(name.slice(prefix.length, name.length - extension.length));
    if (match === null) continue;
    const time = Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
    if (!Number.isNaN(time)) found.push({ name, time, number: Number(match[5] ?? 0) });
  }
  return found.sort((a, b) => b.time - a.time || b.number - a.number);
}

const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})(?:\.(\d+))?$/;

function nameParts(path: string): { readonly prefix: string; readonly extension: string } {
  const extension = extname(path);
  return { prefix: `${basename(path, extension)}-`, extension };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
