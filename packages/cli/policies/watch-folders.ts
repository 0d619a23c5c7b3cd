import { type FSWatcher, statSync, watch } from 'node:fs';
import { type CommandContext, printNote } from '../context.js';

/**
 * Editors write a file in several steps, so folders count as changed after this many milliseconds without an event.
 */
const QUIET = 200;

/**
 * Calls back after each change in one of the folders, one call after another: an older version must not overtake a
 * newer one. Returns a function that ends this.
 *
 * @param onChange must not reject.
 */
export function watchFolders(
  folders: readonly string[],
  onChange: () => Promise<void>,
  context: Pick<CommandContext, 'stderr'>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let latest = Promise.resolve();
  const onEvent = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      latest = latest.then(onChange);
    }, QUIET);
  };
  const watched = [...new Set(folders)].map((folder) => new WatchedFolder(folder, onEvent, context));
  return () => {
    clearTimeout(timer);
    for (const folder of watched) folder.close();
  };
}

/** How often the folder at a path is compared with the one that is watched, in milliseconds. */
const LOOK = 500;

/**
 * The folder at a path, which may be replaced: moved away for another, deleted and made again, or a link that leads
 * elsewhere. The system tells of changes in the folder that it was asked about, wherever that is.
 */
class WatchedFolder {
  private watcher: FSWatcher | undefined;
  private identity: string | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly folder: string,
    private readonly onEvent: () => void,
    private readonly context: Pick<CommandContext, 'stderr'>,
  ) {
    this.watcher = watch(folder, { recursive: true }, onEvent);
    this.reportErrors();
    this.identity = identityOf(folder);
    this.timer = setInterval(() => this.look(), LOOK).unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.watcher?.close();
  }

  private look(): void {
    const identity = identityOf(this.folder);
    if (identity === this.identity) return;
    this.identity = identity;
    this.watcher?.close();
    this.watcher = undefined;
    // Without a folder there is nothing to compile: it is about to be made again.
    if (identity === undefined) return;
    try {
      this.watcher = watch(this.folder, { recursive: true }, this.onEvent);
      this.reportErrors();
    } catch {
      // It is gone again, and looked for again.
      this.identity = undefined;
    }
    this.onEvent();
  }

  private reportErrors(): void {
    this.watcher?.on('error', ({ message }) =>
      printNote(this.context, `authz: ${this.folder} cannot be watched: ${message}`),
    );
  }
}

/** Undefined while there is no folder. A new one may have the number of the old one, but not its time. */
function identityOf(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return stats?.isDirectory() === true ? `${stats.dev} ${stats.ino} ${stats.birthtimeNs}` : undefined;
}
