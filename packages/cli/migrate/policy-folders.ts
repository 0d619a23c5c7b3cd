import { posix } from 'node:path';
import {
  isHidden,
  isPolicyFile,
  isSkippedDirectory,
  isSuiteFile,
  SCHEMAS_DIRECTORY,
} from '../../../compiler/load/index.js';

/**
 * The folders to compile, found by what is in them: for each policy the largest folder in which every file that would
 * be read as a policy is one. A folder with `_schemas` ends the search, because schemas are read at its root only.
 *
 * @param policies the paths of the policies, among `paths`.
 */
export function policyFolders(paths: readonly string[], policies: ReadonlySet<string>): readonly string[] {
  const folders = new FolderContents(paths, policies);
  const found = new Set<string>();
  for (const path of policies) found.add(folders.findRoot(posix.dirname(path)));
  // A folder inside of another one is read with it.
  const roots = [...found].filter((folder) => ![...found].some((other) => other !== folder && isBelow(folder, other)));
  return roots.map((root) => folders.withoutWrapping(root)).sort();
}

/** Whether a path is below a folder; `.` is the root. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`);
}

class FolderContents {
  /** Folders with a file that is no policy, but would be read as one or belongs to something else. */
  private readonly foreign = new Set<string>();
  /** Folders with `_schemas`. */
  private readonly withSchemas = new Set<string>();
  private readonly children = new Map<string, Set<string>>();

  constructor(
    paths: readonly string[],
    private readonly policies: ReadonlySet<string>,
  ) {
    for (const path of paths) this.add(path);
  }

  private add(path: string): void {
    const folders = path.split('/').slice(0, -1);
    const schemas = folders.indexOf(SCHEMAS_DIRECTORY);
    if (schemas >= 0) this.withSchemas.add(folders.slice(0, schemas).join('/') || '.');
    const isOurs = this.policies.has(path) || schemas >= 0 || folders.some(isSkippedDirectory) || isBeside(path);
    let folder = posix.dirname(path);
    let child = path;
    for (;;) {
      if (!isOurs) this.foreign.add(folder);
      this.children.set(folder, (this.children.get(folder) ?? new Set()).add(child));
      if (folder === '.') return;
      child = folder;
      folder = posix.dirname(folder);
    }
  }

  findRoot(start: string): string {
    const withSchemas = listAncestors(start).find((folder) => this.withSchemas.has(folder));
    if (withSchemas !== undefined) return withSchemas;
    let folder = start;
    for (const parent of listAncestors(start).slice(1)) {
      if (this.foreign.has(parent)) break;
      folder = parent;
    }
    return folder;
  }

  /** The folder itself, or the only one in it. */
  withoutWrapping(root: string): string {
    let folder = root;
    for (;;) {
      const [only, ...others] = this.children.get(folder) ?? [];
      if (only === undefined || others.length > 0 || this.policies.has(only) || this.withSchemas.has(folder))
        return folder;
      folder = only;
    }
  }
}

/** `a/b`, `a` and `.` for `a/b`. */
function listAncestors(folder: string): readonly string[] {
  const parts = folder === '.' ? [] : folder.split('/');
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), '.'];
}

/** Whether a file may be beside policies: tests, notes, and what is hidden. */
function isBeside(path: string): boolean {
  const name = posix.basename(path);
  return isSuiteFile(name) || isHidden(name) || /\.(?:md|txt|adoc)$|^(?:LICENSE|Makefile)$/i.test(name);
}

/** Whether a file of a folder would be read as a policy: others are not in the way. */
export function isReadAsPolicy(path: string): boolean {
  return (
    isPolicyFile(posix.basename(path)) && !path.split('/').some((part) => isHidden(part) || isSkippedDirectory(part))
  );
}
