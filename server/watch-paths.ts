import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

/** How paths are watched. Durations are in milliseconds. */
export interface WatchOptions {
  /**
   * The state that counts as unchanged: that of `readState`, read before the paths were. By default, the one when watching
   * begins; undefined makes the first look a change.
   */
  readonly since?: string | undefined;
  /** How often the paths are looked at. */
  readonly interval?: number;
  /** How long the paths must stay unchanged before a change is reported: programs write files in several steps. */
  readonly quiet?: number;
  /** Whether the process may end while it watches. */
  readonly background?: boolean;
}

/** A watch of paths, which ends when it is closed. */
export interface PathWatch {
  readonly close: () => void;
}

const INTERVAL = 500;
const QUIET = 150;
/** A path that keeps changing is reported after this long: whoever reads it finds out whether it is complete. */
const LONGEST_UNREST = 10_000;
/** Looking takes at most this share of the time, so that large folders are looked at less often. */
const SHARE = 1 / 25;

/**
 * Calls back when files, or files below folders, have changed, one call after another: an older version must not
 * overtake a newer one. A path that disappears or comes back has changed, too.
 *
 * Compares what is at the paths instead of listening for events of the system: those belong to a file, not to its name,
 * so they stop when a file is replaced, a folder is made again or a link leads elsewhere, and network disks and mounted
 * volumes have none.
 *
 * @param onChange must not reject.
 */
export function watchPaths(paths: readonly string[], onChange: () => unknown, options: WatchOptions = {}): PathWatch {
  const { interval = INTERVAL, quiet = QUIET, background = false } = options;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds);
      if (background) timer.unref();
    });
  /** The state once it stays the same. */
  const settled = async (first: string): Promise<string> => {
    let seen = first;
    for (let waited = 0; waited < LONGEST_UNREST && !isClosed; waited += quiet) {
      await sleep(quiet);
      const now = await readState(paths);
      if (now === seen) break;
      seen = now;
    }
    return seen;
  };
  const run = async (): Promise<void> => {
    let seen = Object.hasOwn(options, 'since') ? options.since : await readState(paths);
    let lastCost = 0;
    let pause = interval;
    while (!isClosed) {
      await sleep(pause);
      if (isClosed) return;
      const began = performance.now();
      const now = await readState(paths);
      const cost = performance.now() - began;
      // A process that was stopped while it looked must not sleep for so much longer: one slow look counts for nothing.
      pause = Math.max(interval, Math.min(cost, lastCost) / SHARE);
      lastCost = cost;
      if (now === seen) continue;
      seen = await settled(now);
      if (!isClosed) await onChange();
    }
  };
  void run();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Describes the files at paths and below folders: equal texts mean that nothing has changed. */
export async function readState(paths: readonly string[]): Promise<string> {
  const states = await Promise.all([...new Set(paths)].map((path) => stateAt(path, new Set())));
  return states.join('\n');
}

/**
 * Folders that are not looked into: names with a dot, as in `.git`, and installed packages. What a link leads to in
 * them is looked at.
 */
function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** @param above the folders above it, so that circular links end. */
async function stateAt(path: string, above: ReadonlySet<string>): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return `${path} is missing`;
  if (!found.isDirectory()) return `${path} ${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  const folder = `${found.dev} ${found.ino}`;
  if (above.has(folder)) return path;
  const names = await readdir(path).catch(() => []);
  const below = new Set([...above, folder]);
  const states = await Promise.all(
    names
      .filter((name) => !isSkipped(name))
      .sort()
      .map((name) => stateAt(join(path, name), below)),
  );
  return [path, ...states].join('\n');
}
