import { append } from '../append.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import { LineMap } from './line-map.js';
import { type ModuleGroup, moduleGroups, type PlaceOf } from './module-group.js';
import { decisionsOf, type ModuleImport, type ScopedModule, scopedModule } from './scoped-module.js';

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
