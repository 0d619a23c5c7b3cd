import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { Source } from '../diagnostics/source.js';
import { linkTarget } from './link-target.js';
import { isHidden, isPolicyFile, isSkippedDirectory, SCHEMAS_DIRECTORY } from './names.js';

/** Paths of files below a policy directory, relative to it, with `/`; in no particular order. */
export interface Found {
  readonly policies: readonly string[];
  readonly schemas: readonly string[];
}

/**
 * Finds the policy and schema files of a directory by their names
 * (docs/spec/policy-language.md#which-files-are-policies). `root` is its real path.
 */
export function walk(root: string, report: Diagnostics): Found {
  const policies: string[] = [];
  const schemas: string[] = [];
  const visited = new Set<string>();
  const plain: Directory[] = [{ path: '', holdsSchemas: false }];
  const linked: Directory[] = [];
  for (let directory = next(plain, linked); directory !== undefined; directory = next(plain, linked)) {
    if (!isNew(directory, root, visited)) continue;
    for (const entry of readdirSync(join(root, directory.path), { withFileTypes: true })) {
      if (isHidden(entry.name)) continue;
      const path = directory.path === '' ? entry.name : `${directory.path}/${entry.name}`;
      const type = typeOf(entry, path, root, report);
      if (type === 'directory') {
        const inner = enter(directory, entry.name, path, report);
        if (inner !== undefined) (entry.isSymbolicLink() ? linked : plain).push(inner);
      } else if (type === 'file') {
        if (directory.holdsSchemas) schemas.push(path);
        else if (isPolicyFile(entry.name)) policies.push(path);
      }
    }
  }
  return { policies, schemas };
}

interface Directory {
  readonly path: string;
  readonly holdsSchemas: boolean;
}

// A directory is read once however many links lead to it, under its own path if it has one that is walked.
function next(plain: Directory[], linked: Directory[]): Directory | undefined {
  if (plain.length > 0) return plain.pop();
  linked.sort((a, b) => (a.path < b.path ? 1 : -1));
  return linked.pop();
}

function isNew(directory: Directory, root: string, visited: Set<string>): boolean {
  const identity = `${directory.holdsSchemas ? 'schemas' : 'policies'} ${realpathSync(join(root, directory.path))}`;
  if (visited.has(identity)) return false;
  visited.add(identity);
  return true;
}

function enter(parent: Directory, name: string, path: string, report: Diagnostics): Directory | undefined {
  if (parent.holdsSchemas) return { path, holdsSchemas: true };
  if (name === SCHEMAS_DIRECTORY) {
    if (parent.path === '') return { path, holdsSchemas: true };
    report.add('file/misplaced-schemas', new Source(path, ''), {});
    return undefined;
  }
  return isSkippedDirectory(name) ? undefined : { path, holdsSchemas: false };
}

function typeOf(entry: Dirent, path: string, root: string, report: Diagnostics): 'file' | 'directory' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  const target = entry.isSymbolicLink() ? linkTarget(path, root) : 'special';
  // One that is not named like a policy would not have been read anyway.
  const isExpected = isPolicyFile(entry.name);
  switch (target) {
    case 'file':
    case 'directory':
      return target;
    case 'special':
      if (isExpected) report.add('file/not-regular', new Source(path, ''), {});
      return 'other';
    case 'outside file':
    case 'nowhere':
      if (isExpected)
        report.add(target === 'nowhere' ? 'file/broken-link' : 'file/outside-link', new Source(path, ''), {});
      return 'other';
    case 'outside directory':
      if (!isSkippedDirectory(entry.name)) report.add('file/outside-link', new Source(path, ''), {});
      return 'other';
  }
}
