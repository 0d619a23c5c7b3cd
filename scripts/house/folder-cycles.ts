import type { ImportGraph } from './import-graph.js';

/** Folders beside each other that import each other, directly or through more of them. */
export interface FolderCycle {
  /** The folders, sorted, with paths from the root. */
  readonly folders: readonly string[];
  /** An import for each arrow between two of them: `packages/analysis/solve/model.ts > packages/analysis/encode/query.ts`. */
  readonly imports: readonly string[];
}

/**
 * The cycles among the folders of a graph. Folders of one parent are compared, each with all that is below it; files
 * that lie in the parent itself belong to none of them.
 */
export function folderCycles(graph: ImportGraph): readonly FolderCycle[] {
  return [...siblingGraphs(graph).values()].flatMap((arrows) =>
    componentsOf(arrows).map((folders) => ({
      folders: [...folders].sort(),
      imports: [...arrows]
        .filter(([folder]) => folders.has(folder))
        .flatMap(([, targets]) => [...targets].filter(([to]) => folders.has(to)).map(([, example]) => example))
        .sort(),
    })),
  );
}

/** For each folder, the folders that it imports, with the first import that does. */
type Arrows = Map<string, Map<string, string>>;

/** The arrows among the folders of each parent. */
function siblingGraphs(graph: ImportGraph): ReadonlyMap<string, Arrows> {
  const byParent = new Map<string, Arrows>();
  for (const [file, targets] of graph)
    for (const target of targets) {
      const siblings = siblingsOf(file, target);
      if (siblings === undefined) continue;
      const { parent, from, to } = siblings;
      const arrows = byParent.get(parent) ?? new Map<string, Map<string, string>>();
      byParent.set(parent, arrows);
      const known = arrows.get(from) ?? new Map<string, string>();
      arrows.set(from, known);
      if (!known.has(to)) known.set(to, `${file} > ${target}`);
    }
  return byParent;
}

/** The folders of one parent that two files are in; undefined if one of them lies in the parent itself. */
function siblingsOf(
  file: string,
  target: string,
): { readonly parent: string; readonly from: string; readonly to: string } | undefined {
  const [own, other] = [foldersOf(file), foldersOf(target)];
  let depth = 0;
  while (depth < own.length && own[depth] === other[depth]) depth += 1;
  if (depth >= own.length || depth >= other.length) return undefined;
  const pathOf = (names: readonly string[], length: number): string => names.slice(0, length).join('/');
  return { parent: pathOf(own, depth), from: pathOf(own, depth + 1), to: pathOf(other, depth + 1) };
}

/** The folders of a file, the outermost first. Packages stand beside the folders at the top. */
function foldersOf(file: string): readonly string[] {
  const [first = '', second = '', ...rest] = file.split('/').slice(0, -1);
  if (first === 'packages') return [`${first}/${second}`, ...rest];
  return file.split('/').slice(0, -1);
}

/** The sets of folders that reach each other. */
function componentsOf(arrows: Arrows): readonly ReadonlySet<string>[] {
  const reached = new Map([...arrows.keys()].map((folder) => [folder, reachableFrom(folder, arrows)]));
  const components: Set<string>[] = [];
  for (const [folder, targets] of reached) {
    if (!targets.has(folder) || components.some((known) => known.has(folder))) continue;
    components.push(new Set([...targets].filter((other) => reached.get(other)?.has(folder))));
  }
  return components;
}

function reachableFrom(folder: string, arrows: Arrows): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const to of arrows.get(next)?.keys() ?? [])
      if (!reached.has(to)) {
        reached.add(to);
        pending.push(to);
      }
  return reached;
}
