import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportGraph } from './import-graph.js';
import { ROOT } from './tree.js';

/** A package of this repository: a folder with a package.json. */
interface Workspace {
  readonly folder: string;
  readonly name: string;
  /** The files that others may import. */
  readonly doors: ReadonlySet<string>;
  /** The names of the packages that it may import. */
  readonly dependencies: readonly string[];
}

/** The packages that package.json lists as `workspaces`. */
export function readWorkspaces(): readonly Workspace[] {
  const { workspaces = [] } = readManifest('.');
  return workspaces.flatMap(foldersLike).map((folder) => {
    const { name, exports = {}, dependencies = {} } = readManifest(folder);
    return {
      folder,
      name,
      doors: new Set(Object.values(exports).map((file) => join(folder, file))),
      dependencies: Object.keys(dependencies),
    };
  });
}

/**
 * The imports from one package to another that their package.json do not allow: that of the importer names the other in
 * `dependencies`, that of the other lists the file in `exports`. And the dependencies without an import.
 */
export function forbiddenImports(graph: ImportGraph, workspaces: readonly Workspace[]): readonly string[] {
  const ownerOf = (file: string): Workspace | undefined =>
    workspaces.find(({ folder }) => file.startsWith(`${folder}/`));
  const used = new Set<string>();
  const problems: string[] = [];
  for (const [file, targets] of graph) {
    const from = ownerOf(file);
    if (from === undefined) continue;
    for (const target of targets) {
      const to = ownerOf(target);
      if (to === undefined || to === from) continue;
      used.add(`${from.name} ${to.name}`);
      if (!from.dependencies.includes(to.name))
        problems.push(`${file} > ${target}: ${from.folder}/package.json has no dependency ${to.name}`);
      if (!to.doors.has(target)) problems.push(`${file} > ${target}: ${to.folder}/package.json does not export it`);
    }
  }
  for (const { folder, name, dependencies } of workspaces)
    for (const dependency of dependencies)
      if (!used.has(`${name} ${dependency}`)) problems.push(`${folder}/package.json: nothing imports ${dependency}`);
  return problems;
}

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly exports?: { readonly [entry: string]: string };
  readonly dependencies?: { readonly [name: string]: string };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The folders of `packages/*`, or the one that is named. */
function foldersLike(pattern: string): readonly string[] {
  if (!pattern.endsWith('/*')) return [pattern];
  const parent = pattern.slice(0, -2);
  return readdirSync(join(ROOT, parent))
    .map((name) => `${parent}/${name}`)
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
    .sort();
}
