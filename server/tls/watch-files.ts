import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/**
 * An editor, or a mount that is replaced, changes files in several steps: they count as changed when it has been quiet
 * for so many milliseconds.
 */
const QUIET = 200;
/** Where the platform tells nothing (network mounts), files are looked at so often, in milliseconds. */
const POLL = 10_000;

/**
 * Calls back when files may have changed. Folders are watched, not files: a file that is replaced is another file, and
 * secrets of Kubernetes change by a link beside them. Keeps no process alive.
 */
export function watchFiles(paths: readonly string[], changed: () => void): { readonly close: () => void } {
  let quiet: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(changed, QUIET).unref();
  };
  const watchers = [...new Set(paths.map(dirname))].flatMap((folder) => watchFolder(folder, soon));
  const poll = setInterval(changed, POLL).unref();
  const close = (): void => {
    clearTimeout(quiet);
    clearInterval(poll);
    for (const watcher of watchers) watcher.close();
  };
  return { close };
}

function watchFolder(folder: string, changed: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    // A folder that is gone is noticed by the poll, if it comes back.
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
