import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compiled.js';

/** In milliseconds. */
const DAY = 86_400_000;

/** How long a process waits for what another one builds, in milliseconds. Then it builds itself. */
const PATIENCE = 300_000;

/** How often a process that waits says so, in milliseconds: the runner ends files that are silent for two minutes. */
const SIGN_OF_LIFE = 30_000;

/** Folders whose files tests build nothing from. */
const OTHERS = /^(\.|node_modules$|dist$|tests$)/;

/**
 * A folder that is built once for each state of the tree, as `madeOnce` does. It is inside the repository, so that
 * programs in it find their dependencies.
 *
 * @param kind begins the name of the folder.
 * @param without a folder of the repository that nothing is built from.
 * @param build fills an empty folder, which then gets another name.
 */
export function builtOnce(kind: string, without: readonly string[], build: (folder: string) => void): string {
  return madeOnce(kind, hashSources(without), build);
}

/**
 * A folder inside the repository that is made once for each key, and that all processes of tests share: the second one
 * waits for the first one.
 *
 * @param kind begins the name of the folder.
 * @param key ends it: what the contents depend on.
 * @param build fills an empty folder, which then gets another name.
 */
export function madeOnce(kind: string, key: string, build: (folder: string) => void): string {
  const cache = join(ROOT, '.cache');
  const folder = join(cache, `${kind}-${key}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const lock = `${folder}.lock`;
  const deadline = Date.now() + PATIENCE;
  let sign = Date.now() + SIGN_OF_LIFE;
  while (!isTaken(lock)) {
    sleep(100);
    if (existsSync(folder)) return folder;
    if (Date.now() > deadline) break;
    if (Date.now() < sign) continue;
    process.stdout.write(`waiting for ${folder}\n`);
    sign = Date.now() + SIGN_OF_LIFE;
  }
  try {
    if (existsSync(folder)) return folder;
    for (const name of readdirSync(cache)) removeOld(join(cache, name), kind);
    const fresh = mkdtempSync(join(cache, `new-${kind}-`));
    try {
      build(fresh);
      renameSync(fresh, folder);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      // After a long wait, another process may have been faster.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(lock, { force: true });
  }
  return folder;
}

/** Whether this process has the lock now. A process that ended without removing its lock loses it. */
function isTaken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isRunning(holderOf(lock))) rmSync(lock, { force: true });
    return false;
  }
}

/** The process that has a lock; this one while the lock is being written or removed. */
function holderOf(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8')) || process.pid;
  } catch {
    return process.pid;
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** A hash of the names, sizes and times of the files below the root, and of the folders in it. */
function hashSources(without: readonly string[]): string {
  const hash = createHash('sha256');
  const entries = readdirSync(ROOT, { withFileTypes: true });
  const folders = entries.filter(
    (entry) => entry.isDirectory() && !OTHERS.test(entry.name) && !without.includes(entry.name),
  );
  const files = folders.flatMap(({ name: top }) =>
    readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const own = entries.filter((entry) => entry.isFile()).map(({ name }) => join(ROOT, name));
  for (const file of [...own, ...files].sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\n${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Removes what was built for an earlier state of the tree, unless a test may still use it. */
function removeOld(folder: string, kind: string): void {
  if (!new RegExp(`[\\\\/](new-)?${kind}-[^\\\\/]+$`).test(folder)) return;
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - made > DAY) rmSync(folder, { recursive: true, force: true });
}
