import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { addTo, append } from '../append.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Source } from '../diagnostics/source.js';
import type { EmittedFile, Origin, TextPlace } from '../ir/emitted-file.js';
import { decisionsOf, type ModuleImport, type ScopedModule, scopedModule } from './scoped-module.js';
import { filled, type Shape, shapeOf } from './shape.js';
import { type MappedText, policyUrl } from './source-map.js';

/**
 * Emitted files as the modules to bundle, by path. The policies, of which there may be many, become functions in
 * shards, so that their names do not collide; the modules that collect them import the shards. Policies that differ
 * only in strings and numbers are calls of one function: V8 then compiles and optimizes their conditions once, where
 * the conditions of ten thousand policies would each stay cold, and esbuild has less to parse (bench/check.bench.ts,
 * bench/compile.bench.ts). The source map leads from such a function to the first of its policies, and from each call
 * to its policy. The module of a scope becomes a function that makes the modules of its policies.
 */
export function shards(files: readonly EmittedFile[]): Shards {
  const modules = files.filter(({ path }) => path.endsWith('.ts'));
  const contents = shardContents(modules.filter(isPolicy));
  const scopes = modules.filter(isScope);
  const homes = homesOf(contents, scopes);
  const texts = new Map<string, string>();
  for (const [path, groups] of contents) texts.set(path, shardText(groups, homes, path));
  for (const file of modules) {
    if (isPolicy(file) || isScope(file)) continue;
    const made = scopes.length === 0 ? [] : shardsBeside(file.path, [...contents.keys()]);
    texts.set(file.path, collectorText(file, homes, made));
  }
  return { modules: texts, head: scopes.length === 0 ? undefined : scopeFunctions(scopes, homes) };
}

/** What is bundled. */
export interface Shards {
  /** The modules to bundle, by path. */
  readonly modules: ReadonlyMap<string, string>;
  /**
   * Code that stands before the bundled modules, which call it: the functions of scopes, most of a large bundle. Bundling
   * it would only copy it.
   */
  readonly head: MappedText | undefined;
}

/** What is kept of the module of a policy. Its file is read again for the rest, which most modules share. */
interface PolicyModule {
  readonly file: EmittedFile;
  /** The names of its exports. */
  readonly exports: readonly string[];
  /** The literals of its body, one a line: as a list, they would keep the text in memory. */
  readonly literals: string;
}

/** Functions per shard: few enough for esbuild to read several shards at once. */
const SHARD_SIZE = 100;

/** Where a module is made. */
type Home = PolicyHome | ScopeHome;

/** The location of the module of a policy. */
interface PolicyHome {
  /** A module of a scope is made in the function of the scope. */
  readonly of: 'shard' | 'scope';
  readonly shard: string;
  /** The name of the list of its exports. */
  readonly name: string;
  readonly module: PolicyModule;
  readonly group: ModuleGroup;
}

/** The function of a scope. */
interface ScopeHome {
  readonly of: 'head';
  readonly name: string;
}

type Homes = ReadonlyMap<string, Home>;

/** Whether a file has the policies of a scope. */
function isScope({ path }: EmittedFile): boolean {
  return /^(?:traced\/)?scope\//.test(path);
}

function isPolicy({ path }: EmittedFile): boolean {
  return /^(?:traced\/)?(?:derived_roles|principal|resource|role)\//.test(path);
}

/**
 * By shard. Modules that are loaded on demand have separate shards. Derived roles are first, because policies import
 * them, and filters last, because they import rules.
 */
function shardContents(files: readonly EmittedFile[]): ReadonlyMap<string, readonly ModuleGroup[]> {
  const contents = new Map<string, readonly ModuleGroup[]>();
  const exports = new Map<string, readonly string[]>();
  for (const folder of ['', 'traced/']) {
    const own = files.filter(({ path }) => path.startsWith('traced/') === (folder === 'traced/'));
    const rank = ({ path }: EmittedFile): number =>
      decisionsOf(path) !== undefined ? 2 : path.startsWith(`${folder}derived_roles/`) ? 0 : 1;
    const ordered = [0, 1, 2].flatMap((wanted) =>
      moduleGroups(
        own.filter((file) => rank(file) === wanted),
        exports,
      ),
    );
    for (let start = 0; start < ordered.length; start += SHARD_SIZE) {
      contents.set(`${folder}shard${start / SHARD_SIZE}.ts`, ordered.slice(start, start + SHARD_SIZE));
    }
  }
  return contents;
}

function homesOf(contents: ReadonlyMap<string, readonly ModuleGroup[]>, scopes: readonly EmittedFile[]): Homes {
  const homes = new Map<string, Home>();
  const ofScopes = new Set<string>();
  for (const file of scopes) for (const { from } of scopedModule(file).module.imports) ofScopes.add(from);
  for (const [shard, groups] of contents) {
    for (const group of groups) {
      for (const module of group.modules) {
        const { path } = module.file;
        homes.set(path, {
          of: ofScopes.has(path) ? 'scope' : 'shard',
          shard,
          name: `module${homes.size}`,
          module,
          group,
        });
      }
    }
  }
  for (const { path } of scopes) homes.set(path, { of: 'head', name: `$$scope${homes.size}` });
  return homes;
}

/** The home of the module of a policy. */
function policyHome(path: string, homes: Homes): PolicyHome {
  const home = homes.get(path);
  return home === undefined || home.of === 'head' ? invariant(`${path} is not in a shard`) : home;
}

/** The name of the function that makes the modules of a group. */
function makerOf({ modules: [first] }: ModuleGroup, homes: Homes): string {
  return `make_${policyHome(first.file.path, homes).name}`;
}

/** What the function of its group is called with to make a module. */
function givenTo({ module, group }: PolicyHome, homes: Homes): string {
  const decisions = homes.get(decisionsOf(module.file.path) ?? '');
  return [...(decisions === undefined ? [] : [decisions.name]), ...argumentsOf(group, module)].join(', ');
}

function shardText(groups: readonly ModuleGroup[], homes: Homes, path: string): string {
  const isHere = ({ file }: PolicyModule): boolean => homes.get(file.path)?.of === 'shard';
  const imports: ModuleImport[] = [];
  const lines: string[] = [];
  const map = new LineMap();
  for (const group of groups) {
    const { modules } = group;
    const [{ file }] = modules;
    const { module: first, body } = scopedModule(file);
    append(imports, first.imports);
    const make = makerOf(group, homes);
    const decisions = decisionsOf(file.path);
    const parameters = [...(decisions === undefined ? [] : [DECISIONS]), ...parametersOf(group)];
    lines.push(`const ${make} = (${parameters.join(', ')}) => {`);
    append(lines, destructuringLines(first.imports, homes, decisions));
    map.add(file.origins, lines.length - first.firstLine);
    const own = bodyOf(group, body.text).split('\n');
    // In a body with parameters, the columns differ.
    if (group.differing.length === 0) map.addPlaces(own, body.places(), lines.length);
    append(lines, own);
    lines.push(`return [${first.exports.map(({ local }) => local).join(', ')}];`, '};');
    if (!modules.every(isHere)) lines.push(`${MAKERS}.${make} = ${make};`);
    for (const { file: each } of modules.filter(isHere)) {
      // The other imports are those of the first module.
      const ownDecisions = decisionsOf(each.path);
      if (ownDecisions !== undefined) imports.push({ from: ownDecisions, names: [] });
      const home = policyHome(each.path, homes);
      map.addFirst(each.origins, lines.length);
      lines.push(`export const ${home.name} = ${make}(${givenTo(home, homes)});`);
    }
  }
  const head = importLines(path, imports, homes);
  return `${[...head, ...lines].join('\n')}\n${map.comment(head.length)}`;
}

/** The object through which the functions of scopes reach those of shards. No module declares it, so its name stays. */
const MAKERS = '$$make';

/**
 * A function for each scope, which makes the modules of its policies and returns them. V8 does not compile it before it
 * is called.
 */
function scopeFunctions(scopes: readonly EmittedFile[], homes: Homes): MappedText {
  const parts = [`const ${MAKERS} = {};\n`];
  const map = new LineMap();
  let line = 1;
  for (const file of scopes) {
    const {
      module: { imports },
      body,
    } = scopedModule(file);
    const lines = [`function ${homes.get(file.path)?.name}() {`];
    const own = imports.flatMap(({ from }) => (homes.has(from) ? [policyHome(from, homes)] : []));
    const isFilters = ({ module }: PolicyHome): boolean => decisionsOf(module.file.path) !== undefined;
    // Filters are given the policies that they belong to.
    for (const home of [...own.filter((home) => !isFilters(home)), ...own.filter(isFilters)]) {
      map.addFirst(home.module.file.origins, line + lines.length);
      lines.push(`const ${home.name} = ${MAKERS}.${makerOf(home.group, homes)}(${givenTo(home, homes)});`);
    }
    const names = new Map(importedNames(imports, homes));
    const [, lists = invariant(`${file.path} returns no lists`)] = RETURNED.exec(body.text) ?? [];
    const returned = lists.replace(/\s+/g, ' ').replace(/[\w$]+/g, (name) => names.get(name) ?? name);
    lines.push(`return ${returned};`, '}');
    parts.push(`${lines.join('\n')}\n`);
    line += lines.length;
  }
  return map.over(parts, line);
}

/** What the function of the module of a scope returns (compiler/emit/scopes.ts). It has names, and no strings. */
const RETURNED = /=> \((\{.*\})\);\n$/s;

/** The shards that an index imports because functions of scopes need what they declare. No module imports some of them. */
function shardsBeside(path: string, shards: readonly string[]): readonly string[] {
  if (path !== 'index.ts' && path !== 'traced/index.ts') return [];
  return shards.filter((shard) => posix.dirname(shard) === posix.dirname(path));
}

/**
 * Modules that collect policies stay modules: one of them is imported on demand.
 * @param made shards that are evaluated before it.
 */
function collectorText(file: EmittedFile, homes: Homes, made: readonly string[]): string {
  const { module, body } = scopedModule(file);
  const { imports, exports } = module;
  const head = [
    ...made.map((shard) => `import '${shard}';`),
    ...importLines(file.path, imports, homes),
    ...destructuringLines(imports, homes),
  ];
  return `${[...head, body.text, `export { ${exports.map(({ name, local }) => `${local} as ${name}`).join(', ')} };`].join('\n')}\n${new LineMap().comment()}`;
}

/** Imports of modules from the runtime, other shards and collectors, without duplicates. */
function importLines(path: string, imports: readonly ModuleImport[], homes: Homes): readonly string[] {
  const imported = new Map<string, Set<string>>();
  for (const { from, names } of imports) {
    const home = homes.get(from);
    if (home !== undefined && home.of !== 'shard') continue;
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

/**
 * The parameter for the policy whose filters a module contains: modules with one body have filters of many policies.
 */
const DECISIONS = '$$decisions';

/**
 * The names of other policies' modules, under the local names of a module.
 * @param decisions the path of the policy that is a parameter.
 */
function destructuringLines(imports: readonly ModuleImport[], homes: Homes, decisions?: string): readonly string[] {
  return importedNames(imports, homes, decisions).map(([local, value]) => `const ${local} = ${value};`);
}

/** What imported names stand for where the modules of policies are lists, by the local names of a module. */
function importedNames(
  imports: readonly ModuleImport[],
  homes: Homes,
  decisions?: string,
): readonly (readonly [local: string, value: string])[] {
  return imports.flatMap(({ from, names }) => {
    const home = homes.get(from);
    if (home === undefined) return [];
    return names.map((written) => {
      const [name = '', local = name] = written.split(' as ');
      const list = from === decisions ? DECISIONS : home.name;
      return [local, home.of === 'head' ? home.name : `${list}[${home.module.exports.indexOf(name)}]`] as const;
    });
  });
}

/** Maps the lines of a text to the lines of the policies, to build a source map. */
class LineMap {
  private readonly sources = new Map<Source, number>();
  private readonly lines: SourceMapSegment[][] = [];

  /** @param offset the difference between a line of the text and a line of the origins. */
  add(origins: readonly Origin[], offset: number): void {
    for (const { line, lines, span } of origins) {
      const place = span.source.lineAndColumn(span.start);
      const segment: SourceMapSegment = [0, this.indexOf(span.source), place.line - 1, place.column - 1];
      for (let i = line; i < line + lines; i += 1) this.lines[i + offset] = [segment];
    }
  }

  /**
   * Maps the parts of the lines of a module to the policies.
   * @param start the line of the text at which the body of the module begins.
   */
  addPlaces(body: readonly string[], places: readonly TextPlace[], start: number): void {
    let offset = 0;
    let next = 0;
    let open: TextPlace | undefined;
    for (const [index, line] of body.entries()) {
      const own = this.lines[start + index];
      const segments = open === undefined ? [...(own ?? [])] : [this.segment(0, open)];
      for (
        let place = places[next];
        place !== undefined && place.offset <= offset + line.length;
        next += 1, place = places[next]
      ) {
        const column = place.offset - offset;
        if (segments.at(-1)?.[0] === column) segments.pop();
        segments.push(this.segment(column, place));
        open = place.isEnd ? undefined : place;
      }
      if (segments.length > 0) this.lines[start + index] = segments;
      offset += line.length + 1;
    }
  }

  private segment(column: number, { source, at }: TextPlace): SourceMapSegment {
    const place = source.lineAndColumn(at);
    return [column, this.indexOf(source), place.line - 1, place.column - 1];
  }

  /** Maps one line of the text to the location of the first origin. */
  addFirst([first]: readonly Origin[], line: number): void {
    if (first !== undefined) this.add([{ ...first, line: 0, lines: 1 }], line);
  }

  /**
   * The map as a comment that esbuild follows. It is present even if it is empty: without one the text itself would be
   * mapped.
   *
   * @param before the number of lines before the first.
   */
  comment(before = 0): string {
    const sources = [...this.sources.keys()];
    const map = {
      version: 3,
      sources: sources.map(({ path }) => policyUrl(path)),
      names: [],
      mappings: ';'.repeat(before) + encode(Array.from(this.lines, (line) => line ?? [])),
    };
    return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
  }

  /** A text with this map. */
  over(parts: readonly string[], length: number): MappedText {
    const sources = [...this.sources.keys()].map(({ path }) => policyUrl(path));
    return { parts, length, lines: this.lines, sources };
  }

  private indexOf(source: Source): number {
    const index = this.sources.get(source) ?? this.sources.size;
    this.sources.set(source, index);
    return index;
  }
}

/** Modules that differ only in literals: one body, with a parameter for each literal that differs. */
interface ModuleGroup {
  readonly modules: readonly [PolicyModule, ...PolicyModule[]];
  /** The indexes of the literals that differ. */
  readonly differing: readonly number[];
}

/**
 * How many modules share a body: a debugger stops in the first policy of a shared one only, and a few functions more do
 * not matter to V8.
 */
const SHARED_FROM = 32;

/**
 * Groups modules, in the order of the first of each group.
 *
 * @param exports the names that modules export, by path; those of these modules are added.
 */
function moduleGroups(files: readonly EmittedFile[], exports: Map<string, readonly string[]>): readonly ModuleGroup[] {
  const groups = new Map<unknown, PolicyModule[]>();
  for (const file of files) {
    const { module, body } = scopedModule(file);
    const names = module.exports.map(({ name }) => name);
    exports.set(file.path, names);
    const shape = shapeOf(body.text);
    const key = shape === undefined ? file : keyOf(module, shape, exports);
    addTo(groups, key, { file, exports: names, literals: shape?.literals.join('\n') ?? '' });
  }
  const shared = [...groups.values()].flatMap((group) =>
    group.length < SHARED_FROM ? group.map((module) => [module]) : [group],
  );
  return shared.map((modules) => groupOf(modules as [PolicyModule, ...PolicyModule[]]));
}

/**
 * Modules with equal keys have bodies of one shape, in which imported names have the same meaning, or the same meaning
 * relative to the policy whose filters they contain.
 */
function keyOf(
  { file, imports, exports }: ScopedModule,
  { code }: Shape,
  exported: ReadonlyMap<string, readonly string[]>,
): string {
  const decisions = decisionsOf(file.path);
  const meant = imports.map(({ from, names }) =>
    from === decisions ? names.map((name) => [name, exported.get(from)?.indexOf(name) ?? -1]) : [from, names],
  );
  const key = JSON.stringify([meant, exports.map(({ local }) => local), code]);
  return createHash('sha256').update(key).digest('base64');
}

function groupOf(modules: ModuleGroup['modules']): ModuleGroup {
  if (modules.length === 1) return { modules, differing: [] };
  const literals = literalsOf(modules[0]);
  const isDifferent = literals.map(() => false);
  for (const module of modules)
    for (const [index, literal] of literalsOf(module).entries()) isDifferent[index] ||= literal !== literals[index];
  return { modules, differing: [...literals.keys()].filter((index) => isDifferent[index]) };
}

function parametersOf({ differing }: ModuleGroup): readonly string[] {
  return differing.map((index) => `$$${index}`);
}

/** The literals of a module of the group, by parameter. */
function argumentsOf({ differing }: ModuleGroup, module: PolicyModule): readonly string[] {
  if (differing.length === 0) return [];
  const literals = literalsOf(module);
  return differing.map((index) => literals[index] as string);
}

/** The body of a group, with as many lines as that of its first module. */
function bodyOf({ modules, differing }: ModuleGroup, first: string): string {
  if (modules.length === 1) return first;
  const isDifferent = new Set(differing);
  const terms = literalsOf(modules[0]).map((literal, index) => (isDifferent.has(index) ? `$$${index}` : literal));
  return filled(shapeOf(first) as Shape, terms);
}

function literalsOf({ literals }: PolicyModule): readonly string[] {
  return literals === '' ? [] : literals.split('\n');
}
