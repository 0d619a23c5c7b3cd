import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { addTo, append } from '../append.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Source } from '../diagnostics/source.js';
import type { EmittedFile, Origin, TextPlace } from '../ir/emitted-file.js';
import { bodyOf, decisionsOf, type ModuleImport, type ScopedModule, scopedModule } from './scoped-module.js';
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
  const contents = shardContents(modules.filter(isPolicy).map(shapedModule));
  const scopes = modules.filter(isScope).map((file) => scopedModule(file).module);
  const homes = homesOf(contents, scopes);
  const calls = callsOf(contents, homes);
  const texts = new Map<string, string>();
  for (const [path, groups] of contents) texts.set(path, shardText(groups, homes, calls, path));
  for (const file of modules) {
    if (isPolicy(file) || isScope(file)) continue;
    const made = scopes.length === 0 ? [] : shardsBeside(file.path, [...contents.keys()]);
    texts.set(file.path, collectorText(file, homes, made));
  }
  return { modules: texts, head: scopes.length === 0 ? undefined : scopeFunctions(scopes, homes, calls) };
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

/** The module of a policy, with what tells whether it can share its body. */
interface ShapedModule extends ScopedModule {
  /** A hash of the code of the body without its literals; undefined if the text does not show where they are. */
  readonly shape: string | undefined;
  /** The literals of the body, one a line: as a list, they would keep the text in memory. */
  readonly literals: string;
}

function shapedModule(file: EmittedFile): ShapedModule {
  const { module, body } = scopedModule(file);
  const shape = shapeOf(body.text);
  if (shape === undefined) return { ...module, shape, literals: '' };
  const hash = createHash('sha256').update(JSON.stringify(shape.code)).digest('hex');
  return { ...module, shape: hash, literals: shape.literals.join('\n') };
}

/** Functions per shard: few enough for esbuild to read several shards at once. */
const SHARD_SIZE = 100;

/** The location of the module of a policy: its shard, and the name of the list of its exports there. */
interface Home {
  /** Where it is made: a module of a scope in the function of the scope, which is in the head itself. */
  readonly of: 'shard' | 'scope' | 'head';
  readonly shard: string;
  readonly name: string;
  readonly exports: readonly string[];
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
function shardContents(modules: readonly ShapedModule[]): ReadonlyMap<string, readonly ModuleGroup[]> {
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

function homesOf(contents: ReadonlyMap<string, readonly ModuleGroup[]>, scopes: readonly ScopedModule[]): Homes {
  const homes = new Map<string, Home>();
  const ofScopes = new Set(scopes.flatMap(({ imports }) => imports.map(({ from }) => from)));
  for (const [shard, groups] of contents) {
    for (const { file, exports } of groups.flatMap(({ modules }) => modules)) {
      const names = exports.map(({ name }) => name);
      const of = ofScopes.has(file.path) ? 'scope' : 'shard';
      homes.set(file.path, { of, shard, name: `module${homes.size}`, exports: names });
    }
  }
  for (const { file } of scopes)
    homes.set(file.path, { of: 'head', shard: '', name: `$$scope${homes.size}`, exports: [] });
  return homes;
}

/** How the module of a policy is made. */
interface Call {
  readonly file: EmittedFile;
  /** The name of the function. */
  readonly make: string;
  /** What it is called with. */
  readonly given: string;
}

type Calls = ReadonlyMap<string, Call>;

/** By the path of the policy. */
function callsOf(contents: ReadonlyMap<string, readonly ModuleGroup[]>, homes: Homes): Calls {
  const calls = new Map<string, Call>();
  for (const { modules, argumentsOf } of [...contents.values()].flat()) {
    const make = `make_${homes.get((modules[0] as ShapedModule).file.path)?.name}`;
    for (const module of modules) {
      const { file } = module;
      const home = homes.get(decisionsOf(file.path) ?? '');
      const given = [...(home === undefined ? [] : [home.name]), ...argumentsOf(module)].join(', ');
      calls.set(file.path, { file, make, given });
    }
  }
  return calls;
}

function shardText(groups: readonly ModuleGroup[], homes: Homes, calls: Calls, path: string): string {
  const isHere = ({ file }: ShapedModule): boolean => homes.get(file.path)?.of === 'shard';
  const lines = [
    ...importLines(
      path,
      groups.flatMap(({ modules }) => [modules[0] as ShapedModule, ...modules.filter(isHere)]),
      homes,
    ),
  ];
  const map = new LineMap();
  for (const { modules, body, parameters } of groups) {
    const [first] = modules as readonly [ShapedModule];
    const { make } = calls.get(first.file.path) as Call;
    const decisions = decisionsOf(first.file.path);
    lines.push(`const ${make} = (${[...(decisions === undefined ? [] : [DECISIONS]), ...parameters].join(', ')}) => {`);
    append(lines, destructuringLines(first.imports, homes, decisions));
    map.add(first.file.origins, lines.length - first.firstLine);
    const own = body();
    // In a body with parameters, the columns differ.
    if (parameters.length === 0) map.addPlaces(own, bodyOf(first).places(), lines.length);
    append(lines, own);
    lines.push(`return [${first.exports.map(({ local }) => local).join(', ')}];`, '};');
    if (!modules.every(isHere)) lines.push(`${MAKERS}.${make} = ${make};`);
    for (const { file } of modules.filter(isHere)) {
      map.addFirst(file.origins, lines.length);
      lines.push(`export const ${homes.get(file.path)?.name} = ${make}(${calls.get(file.path)?.given});`);
    }
  }
  return `${lines.join('\n')}\n${map.comment()}`;
}

/** The object through which the functions of scopes reach those of shards. No module declares it, so its name stays. */
const MAKERS = '$$make';

/**
 * A function for each scope, which makes the modules of its policies and returns them. V8 does not compile it before it
 * is called.
 */
function scopeFunctions(scopes: readonly ScopedModule[], homes: Homes, calls: Calls): MappedText {
  const lines = [`const ${MAKERS} = {};`];
  const map = new LineMap();
  for (const { file, imports } of scopes) {
    lines.push(`function ${homes.get(file.path)?.name}() {`);
    const own = imports.flatMap(({ from }) => calls.get(from) ?? []);
    const isFilters = (call: Call): boolean => decisionsOf(call.file.path) !== undefined;
    // Filters are given the policies that they belong to.
    for (const call of [...own.filter((call) => !isFilters(call)), ...own.filter(isFilters)]) {
      map.addFirst(call.file.origins, lines.length);
      lines.push(`const ${homes.get(call.file.path)?.name} = ${MAKERS}.${call.make}(${call.given});`);
    }
    const names = new Map(importedNames(imports, homes));
    const [, lists = invariant(`${file.path} returns no lists`)] = RETURNED.exec(file.text) ?? [];
    const returned = lists.replace(/\s+/g, ' ').replace(/[\w$]+/g, (name) => names.get(name) ?? name);
    lines.push(`return ${returned};`, '}');
  }
  return map.over(lines);
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
    ...importLines(file.path, [module], homes),
    ...destructuringLines(imports, homes),
  ];
  return `${[...head, body.text, `export { ${exports.map(({ name, local }) => `${local} as ${name}`).join(', ')} };`].join('\n')}\n${new LineMap().comment()}`;
}

/** The imports of the modules from the runtime, other shards and collectors, without duplicates. */
function importLines(path: string, modules: readonly ScopedModule[], homes: Homes): readonly string[] {
  const imported = new Map<string, Set<string>>();
  for (const { from, names } of modules.flatMap(({ imports }) => imports)) {
    const home = homes.get(from);
    const source = home?.shard ?? from;
    if (source === path || (home !== undefined && home.of !== 'shard')) continue;
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
      return [local, home.of === 'head' ? home.name : `${list}[${home.exports.indexOf(name)}]`] as const;
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
   */
  comment(): string {
    const sources = [...this.sources.keys()];
    const map = {
      version: 3,
      sources: sources.map(({ path }) => policyUrl(path)),
      names: [],
      mappings: encode(Array.from(this.lines, (line) => line ?? [])),
    };
    return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
  }

  /** Lines of text with this map. */
  over(lines: readonly string[]): MappedText {
    const sources = [...this.sources.keys()].map(({ path }) => policyUrl(path));
    return { text: `${lines.join('\n')}\n`, length: lines.length, lines: this.lines, sources };
  }

  private indexOf(source: Source): number {
    const index = this.sources.get(source) ?? this.sources.size;
    this.sources.set(source, index);
    return index;
  }
}

/** Modules that differ only in literals: one body, with a parameter for each literal that differs. */
interface ModuleGroup {
  readonly modules: readonly ShapedModule[];
  /** The lines of the body, as many as in the first module. */
  readonly body: () => readonly string[];
  readonly parameters: readonly string[];
  /** The literals of a module of the group, by parameter. */
  readonly argumentsOf: (module: ShapedModule) => readonly string[];
}

/**
 * How many modules share a body: a debugger stops in the first policy of a shared one only, and a few functions more do
 * not matter to V8.
 */
const SHARED_FROM = 32;

/** The index of a name among the exports of a module. */
type PlaceOf = (path: string, name: string) => number;

/** Groups modules, in the order of the first of each group. */
function moduleGroups(modules: readonly ShapedModule[], placeOf: PlaceOf): readonly ModuleGroup[] {
  const groups = new Map<unknown, ShapedModule[]>();
  for (const module of modules) addTo(groups, keyOf(module, placeOf), module);
  const shared = [...groups.values()].flatMap((group) =>
    group.length < SHARED_FROM ? group.map((module) => [module]) : [group],
  );
  return shared.map(groupOf);
}

/**
 * Modules with equal keys have bodies of one shape, in which imported names have the same meaning, or the same meaning
 * relative to the policy whose filters they contain. A module without a shape is equal to no other.
 */
function keyOf(module: ShapedModule, placeOf: PlaceOf): unknown {
  if (module.shape === undefined) return module;
  const decisions = decisionsOf(module.file.path);
  const imports = module.imports.map(({ from, names }) =>
    from === decisions ? names.map((name) => [name, placeOf(from, name)]) : [from, names],
  );
  return JSON.stringify([imports, module.exports.map(({ local }) => local), module.shape]);
}

function groupOf(modules: readonly ShapedModule[]): ModuleGroup {
  const [first] = modules as readonly [ShapedModule];
  if (modules.length === 1)
    return { modules, body: () => bodyOf(first).text.split('\n'), parameters: [], argumentsOf: () => [] };
  const literals = literalsOf(first);
  const isDifferent = literals.map(() => false);
  for (const module of modules)
    for (const [index, literal] of literalsOf(module).entries()) isDifferent[index] ||= literal !== literals[index];
  const differing = [...literals.keys()].filter((index) => isDifferent[index]);
  const terms = literals.map((literal, index) => (isDifferent[index] ? `$$${index}` : literal));
  return {
    modules,
    body: () => filled(shapeOf(bodyOf(first).text) as Shape, terms).split('\n'),
    parameters: differing.map((index) => `$$${index}`),
    argumentsOf: (module) => {
      const own = literalsOf(module);
      return differing.map((index) => own[index] as string);
    },
  };
}

function literalsOf({ literals }: ShapedModule): readonly string[] {
  return literals === '' ? [] : literals.split('\n');
}
