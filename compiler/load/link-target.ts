import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What a symbolic link leads to; a special file is a pipe, a socket or a device. */
export type LinkTarget = 'file' | 'directory' | 'outside file' | 'outside directory' | 'special' | 'nowhere';

/**
 * Where a link at `path` below `root` (a real path) leads. Targets outside of the policy directory have their own
 * kinds: a policy set is what was reviewed, not what else is on the machine.
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
