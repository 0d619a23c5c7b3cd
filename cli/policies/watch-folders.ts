import { type FSWatcher, watch } from 'node:fs';

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
export function watchFolders(folders: readonly string[], onChange: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let latest = Promise.resolve();
  const onEvent = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      latest = latest.then(onChange);
    }, QUIET);
  };
  const watchers = [...new Set(folders)].map((folder): FSWatcher => {
    const watcher = watch(folder, { recursive: true }, onEvent);
    watcher.on('error', (error) => console.error(`authz: ${folder} cannot be watched: ${error.message}`));
    return watcher;
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
