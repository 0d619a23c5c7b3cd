import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The target of a symbolic link; a special file is a pipe, a socket or a device. */
export type LinkTarget = 'file' | 'directory' | 'outside file' | 'outside directory' | 'special' | 'nowhere';

/**
 * Returns the kind of the target of a link at `path` below `root` (a real path). Targets outside of the policy
 * directory have separate kinds: a policy set contains what was reviewed, not other files on the machine.
 */
export function linkTarget(path: string, root: string): LinkTarget {
  const link = join(root, path);
  let realPath: string;
  try {
    realPath = realpathSync(link);
  } catch {
    return 'nowhere';
  }
  const target = statSync(realPath);
  const inside = realPath === root || realPath.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
  if (target.isDirectory()) return inside ? 'directory' : 'outside directory';
  if (target.isFile()) return inside ? 'file' : 'outside file';
  return 'special';
}
