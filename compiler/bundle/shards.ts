import { encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { append } from '../append.js';
import type { Source } from '../diagnostics/source.js';
import type { EmittedFile, Origin } from '../ir/emitted-file.js';
import { decisionsOf, type ModuleImport, type ScopedModule, scopedModule } from './scoped-module.js';
import { filled, type Shape, shapeOf } from './shape.js';

/**
 * Emitted files as the modules to bundle, by path. The policies, of which there may be many, become functions in
 * shards, so that their names do not meet; what collects them imports the shards. Policies that differ in texts and
 * numbers only are calls of one function: V8 then compiles and optimises their conditions once, where conditions of ten
 * thousand policies would each stay cold, and esbuild has less to read (bench/check.bench.ts, bench/compile.bench.ts).
 * The map leads from such a function to the first of its policies, and from each call to its own.
 */
export function shards(files: readonly EmittedFile[]): ReadonlyMap<string, string> {
  const modules = files.filter(({ path }) => path.endsWith('.ts')).map(scopedModule);
  const contents = shardContents(modules.filter(isPolicy));
  const homes = homesOf(contents);
  const texts = new Map<string, string>();
  for (const [path, groups] of contents) texts.set(path, shardText(path, groups, homes));
  for (const module of modules) if (!isPolicy(module)) texts.set(module.file.path, collectorText(module, homes));
  return texts;
}

/** So many functions a shard: few enough for esbuild to read several at once. */
const SHARD_SIZE = 100;

/** Where the module of a policy is: in which shard, and under which name, that of a list of what it exports. */
interface Home {
  readonly shard: string;
  readonly name: string;
  readonly exports: readonly string[];
}

type Homes = ReadonlyMap<string, Home>;

function isPolicy({ file }: ScopedModule): boolean {
  return /^(?:traced\/)?(?:derived_roles|principal|resource|role)\//.test(file.path);
}

/**
 * By shard. What is loaded when asked for keeps to itself. Derived roles stand first, for policies import them, and
 * filters last, for they import rules.
 */
function shardContents(modules: readonly ScopedModule[]): ReadonlyMap<string, readonly ModuleGroup[]> {
  const contents = new Map<string, readonly ModuleGroup[]>();
  const exports = new Map(modules.map(({ file, exports }) => [file.path, exports.map(({ name }) => name)]));
  const placeOf: PlaceOf = (path, name) => exports.get(path)?.indexOf(name) ?? -1;
  for (const folder of ['', 'traced/']) {
    const own = modules.filter(({ file }) => file.path.startsWith('traced/') === (folder === 'traced/'));
    const rank = ({ file }: ScopedModule): number =>
      decisionsOf(file.path) !== undefined ? 2 : file.path.startsWith(`${folder}derived_roles/`) ? 0 : 1;
    const ordered = [0, 1, 2].flatMap((wanted) =>
      moduleGroups(
        own.filter((module) => rank(module) === wanted),
        placeOf,
      ),
    );
    for (let start = 0; start < ordered.length; start += SHARD_SIZE) {
      contents.set(`${folder}shard${start / SHARD_SIZE}.ts`, ordered.slice(start, start + SHARD_SIZE));
    }
  }
  return contents;
}

function homesOf(contents: ReadonlyMap<string, readonly ModuleGroup[]>): Homes {
  const homes = new Map<string, Home>();
  for (const [shard, groups] of contents) {
    for (const { file, exports } of groups.flatMap(({ modules }) => modules)) {
      homes.set(file.path, { shard, name: `module${homes.size}`, exports: exports.map(({ name }) => name) });
    }
  }
  return homes;
}

function shardText(path: string, groups: readonly ModuleGroup[], homes: Homes): string {
  const lines = [
    ...importLines(
      path,
      groups.flatMap(({ modules }) => modules),
      homes,
    ),
  ];
  const map = new LineMap();
  for (const { modules, body, parameters, argumentsOf } of groups) {
    const [first] = modules as readonly [ScopedModule];
    const make = `make_${homes.get(first.file.path)?.name}`;
    const decisions = decisionsOf(first.file.path);
    lines.push(`const ${make} = (${[...(decisions === undefined ? [] : [DECISIONS]), ...parameters].join(', ')}) => {`);
    append(lines, destructuringLines(first.imports, homes, decisions));
    map.add(first.file.origins, lines.length - first.firstLine);
    append(lines, body);
    lines.push(`return [${first.exports.map(({ local }) => local).join(', ')}];`, '};');
    for (const module of modules) {
      map.addFirst(module.file.origins, lines.length);
      const home = homes.get(decisionsOf(module.file.path) ?? '');
      const given = [...(home === undefined ? [] : [home.name]), ...argumentsOf(module)];
      lines.push(`export const ${homes.get(module.file.path)?.name} = ${make}(${given.join(', ')});`);
    }
  }
  return `${lines.join('\n')}\n${map.comment()}`;
}

/** What collects policies stays a module: one of them is imported when asked for. */
function collectorText(module: ScopedModule, homes: Homes): string {
  const { file, imports, exports, body } = module;
  const head = [...importLines(file.path, [module], homes), ...destructuringLines(imports, homes)];
  return `${[...head, ...body, `export { ${exports.map(({ name, local }) => `${local} as ${name}`).join(', ')} };`].join('\n')}\n${new LineMap().comment()}`;
}

/** What modules import of the runtime, of other shards and of collectors, each once. */
function importLines(path: string, modules: readonly ScopedModule[], homes: Homes): readonly string[] {
  const imported = new Map<string, Set<string>>();
  for (const { from, names } of modules.flatMap(({ imports }) => imports)) {
    const home = homes.get(from);
    const source = home?.shard ?? from;
    if (source === path) continue;
    const known = imported.get(source) ?? new Set();
    for (const name of home === undefined ? names : [home.name]) known.add(name);
    imported.set(source, known);
  }
  return [...imported]
    .filter(([, names]) => names.size > 0)
    .map(([source, names]) => `import ${clauseOf([...names])} from '${source}';`);
}

function clauseOf(names: readonly string[]): string {
  const [first = ''] = names;
  return first.startsWith('*') ? first : `{ ${names.join(', ')} }`;
}

/** The parameter for the policy that a module has the filters of: modules of one body have filters of many policies. */
const DECISIONS = '$$decisions';

/**
 * The names of other policies' modules, under the names a module has for them.
 *
 * @param decisions the path of the policy that is a parameter.
 */
function destructuringLines(imports: readonly ModuleImport[], homes: Homes, decisions?: string): readonly string[] {
  return imports.flatMap(({ from, names }) => {
    const home = homes.get(from);
    if (home === undefined) return [];
    return names.map((written) => {
      const [name, local = name] = written.split(' as ');
      return `const ${local} = ${from === decisions ? DECISIONS : home.name}[${home.exports.indexOf(name as string)}];`;
    });
  });
}

/** From the lines of a text to the lines of the policies: what a source map says, as it is gathered. */
class LineMap {
  private readonly sources = new Map<Source, number>();
  private readonly lines: SourceMapSegment[][] = [];

  /** @param offset what to add to a line of the origins to get the line of the text. */
  add(origins: readonly Origin[], offset: number): void {
    for (const { line, lines, span } of origins) {
      const place = span.source.lineAndColumn(span.start);
      const segment: SourceMapSegment = [0, this.indexOf(span.source), place.line - 1, place.column - 1];
      for (let i = line; i < line + lines; i += 1) this.lines[i + offset] = [segment];
    }
  }

  /** Leads one line of the text to where the first of the origins stands. */
  addFirst([first]: readonly Origin[], line: number): void {
    if (first !== undefined) this.add([{ ...first, line: 0, lines: 1 }], line);
  }

  /**
   * The map as a comment that esbuild follows. It is there even with nothing to say: without one the text itself would
   * be mapped.
   */
  comment(): string {
    const sources = [...this.sources.keys()];
    const map = {
      version: 3,
      sources: sources.map(({ path }) => path),
      sourcesContent: sources.map(({ text }) => text),
      names: [],
      mappings: encode(Array.from(this.lines, (line) => line ?? [])),
    };
    return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
  }

  private indexOf(source: Source): number {
    const index = this.sources.get(source) ?? this.sources.size;
    this.sources.set(source, index);
    return index;
  }
}

/** Modules that differ in literals only: one body, with a parameter for each literal that differs. */
interface ModuleGroup {
  readonly modules: readonly ScopedModule[];
  /** The lines of the body, as many as the first module has. */
  readonly body: readonly string[];
  readonly parameters: readonly string[];
  /** The literals of a module of the group, by parameter. */
  readonly argumentsOf: (module: ScopedModule) => readonly string[];
}

/** The place of a name among the exports of a module. */
type PlaceOf = (path: string, name: string) => number;

/** Groups modules, in the order of the first of each group. */
function moduleGroups(modules: readonly ScopedModule[], placeOf: PlaceOf): readonly ModuleGroup[] {
  const shapes = new Map(modules.map((module) => [module, shapeOf(module.body.join('\n'))]));
  const groups = new Map<unknown, ScopedModule[]>();
  for (const module of modules) {
    const key = keyOf(module, shapes.get(module), placeOf);
    const group = groups.get(key) ?? [];
    group.push(module);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) =>
    groupOf(
      group,
      group.map((module) => shapes.get(module)),
    ),
  );
}

/**
 * Modules with equal keys have bodies of one shape, in which imported names mean the same, or the same of the policy that
 * they have the filters of. A module without a shape is like no other.
 */
function keyOf(module: ScopedModule, shape: Shape | undefined, placeOf: PlaceOf): unknown {
  if (shape === undefined) return module;
  const decisions = decisionsOf(module.file.path);
  const imports = module.imports.map(({ from, names }) =>
    from === decisions ? names.map((name) => [name, placeOf(from, name)]) : [from, names],
  );
  return JSON.stringify([imports, module.exports.map(({ local }) => local), shape.code]);
}

function groupOf(modules: readonly ScopedModule[], shapes: readonly (Shape | undefined)[]): ModuleGroup {
  const [first] = modules as readonly [ScopedModule];
  const [shape] = shapes;
  if (modules.length === 1 || shape === undefined)
    return { modules, body: first.body, parameters: [], argumentsOf: () => [] };
  const differing = shape.literals.flatMap((literal, index) =>
    shapes.some((other) => other?.literals[index] !== literal) ? [index] : [],
  );
  const terms = shape.literals.map((literal, index) => (differing.includes(index) ? `$$${index}` : literal));
  const literals = new Map(modules.map((module, index) => [module, shapes[index]?.literals ?? []]));
  return {
    modules,
    body: filled(shape, terms).split('\n'),
    parameters: differing.map((index) => `$$${index}`),
    argumentsOf: (module) => differing.map((index) => literals.get(module)?.[index] as string),
  };
}
