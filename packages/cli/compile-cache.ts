import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { dirname } from 'node:path';

/**
 * Keeps compiled code of the modules that are imported from now on, so that the next start does not compile them again.
 * Does nothing on Node 20, with NODE_DISABLE_COMPILE_CACHE, or if the folder is not private. NODE_COMPILE_CACHE names
 * another folder.
 *
 * V8 runs what it finds in the cache: a user who can write there can run code in this process. Node would use the
 * folder for temporary files, where any user can create the cache first.
 * @param folder beside the program.
 */
export function keepCompiledCode(folder: string, enable = enableCompileCache): void {
  if (enable !== undefined && isPrivate(folder)) enable(folder);
}

const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };

/** Whether only the user of this process can write to a folder, which is created beside a program of this user. */
function isPrivate(folder: string): boolean {
  const user = process.getuid?.();
  // On Windows the folder has the permissions of the one around it.
  if (user === undefined) return true;
  try {
    if (lstatSync(dirname(folder)).uid !== user) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === user && (found.mode & WRITABLE_BY_OTHERS) === 0;
  } catch {
    // A read-only file system.
    return false;
  }
}

const WRITABLE_BY_OTHERS = 0o022;
