import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './tree.js';

/** Which files import which. Imports of types count. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** What dependency-cruiser says of a module, as far as it is read here. */
interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string }[];
}

/** An import that .dependency-cruiser.cjs forbids. */
interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

/** The modules of some folders with what they import, and the imports that the rules forbid. */
export function cruise(folders: readonly string[]): {
  readonly modules: readonly CruisedModule[];
  readonly violations: readonly Violation[];
} {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const output = execFileSync(
    process.execPath,
    [program, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 256 << 20,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const { modules, summary } = JSON.parse(output) as {
    readonly modules: readonly CruisedModule[];
    readonly summary: { readonly violations: readonly Violation[] };
  };
  return { modules, violations: summary.violations };
}

/**
 * The imports among the files of some folders, tests left out. `importing` lists the files that import something at
 * all, packages and Node's modules included.
 */
export function importGraph(folders: readonly string[]): {
  readonly graph: ImportGraph;
  readonly importing: ReadonlySet<string>;
} {
  const present = folders.filter((folder) => existsSync(join(ROOT, folder)));
  return graphOf(cruise(present).modules, present);
}

/** The graph in what dependency-cruiser prints. */
export function graphOf(
  modules: readonly CruisedModule[],
  folders: readonly string[],
): { readonly graph: ImportGraph; readonly importing: ReadonlySet<string> } {
  const own = modules.filter(
    ({ source }) => folders.some((folder) => source.startsWith(`${folder}/`)) && !source.includes('.test.'),
  );
  const names = new Set(own.map(({ source }) => source));
  const graph = new Map(
    own.map(({ source, dependencies }) => [
      source,
      dependencies.map(({ resolved }) => resolved).filter((to) => names.has(to)),
    ]),
  );
  return {
    graph,
    importing: new Set(own.filter(({ dependencies }) => dependencies.length > 0).map(({ source }) => source)),
  };
}

/** The part of a graph below a folder. */
export function within(graph: ImportGraph, folder: string): ImportGraph {
  const isWithin = (file: string): boolean => file.startsWith(`${folder}/`);
  return new Map(
    [...graph].filter(([file]) => isWithin(file)).map(([file, targets]) => [file, targets.filter(isWithin)]),
  );
}

/** How many files a longest chain of imports has. Throws when the graph has a cycle. */
export function floors(graph: ImportGraph): number {
  const known = new Map<string, number>();
  const open = new Set<string>();
  const floorOf = (file: string): number => {
    const before = known.get(file);
    if (before !== undefined) return before;
    if (open.has(file)) throw new Error(`an import cycle runs through ${file}`);
    open.add(file);
    const floor = 1 + Math.max(0, ...(graph.get(file) ?? []).map(floorOf));
    open.delete(file);
    known.set(file, floor);
    return floor;
  };
  return Math.max(0, ...[...graph.keys()].map(floorOf));
}

/** How many imports a graph has. */
export function arrows(graph: ImportGraph): number {
  return [...graph.values()].reduce((sum, targets) => sum + targets.length, 0);
}

/** The files that exactly one other file imports. */
export function withOneImporter(graph: ImportGraph): ReadonlySet<string> {
  const importers = new Map<string, Set<string>>();
  for (const [file, targets] of graph)
    for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  return new Set([...importers].filter(([, files]) => files.size === 1).map(([file]) => file));
}
