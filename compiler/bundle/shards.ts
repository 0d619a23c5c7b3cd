import type { EmittedFile } from '../ir/emitted-file.js';
import { LineMap } from './line-map.js';
import { type ModuleImport, type ScopedModule, scopedModule } from './scoped-module.js';

/**
 * Emitted files as the modules to bundle, by path. The policies, of which there may be many, become functions in shards, so that their
 * names do not meet; what collects them imports the shards. esbuild takes its time by the module, and V8 by the name at the top of one
 * (bench/compile.bench.ts).
 */
export function shards(files: readonly EmittedFile[]): ReadonlyMap<string, string> {
  const modules = files.filter(({ path }) => path.endsWith('.ts')).map(scopedModule);
  const members = shardMembers(modules.filter(isPolicy));
  const homes = homesOf(members);
  const texts = new Map<string, string>();
  for (const [path, inside] of members) texts.set(path, shardText(path, inside, homes));
  for (const module of modules) if (!isPolicy(module)) texts.set(module.file.path, collectorText(module, homes));
  return texts;
}

/** So many modules a shard: few enough for esbuild to read several at once. */
const SHARD_SIZE = 100;

/** Where the module of a policy is: in which shard, and under which name, that of an object of what it exports. */
interface Home {
  readonly shard: string;
  readonly name: string;
}

type Homes = ReadonlyMap<string, Home>;

function isPolicy({ file }: ScopedModule): boolean {
  return /^(?:traced\/)?(?:derived_roles|principal|resource|role)\//.test(file.path);
}

/** By shard. What is loaded when asked for keeps to itself; derived roles stand first, for policies import them. */
function shardMembers(modules: readonly ScopedModule[]): ReadonlyMap<string, readonly ScopedModule[]> {
  const members = new Map<string, readonly ScopedModule[]>();
  for (const folder of ['', 'traced/']) {
    const own = modules.filter(({ file }) => file.path.startsWith('traced/') === (folder === 'traced/'));
    const isFirst = ({ file }: ScopedModule): boolean => file.path.startsWith(`${folder}derived_roles/`);
    const ordered = [...own.filter(isFirst), ...own.filter((module) => !isFirst(module))];
    for (let start = 0; start < ordered.length; start += SHARD_SIZE) {
      members.set(`${folder}shard${start / SHARD_SIZE}.ts`, ordered.slice(start, start + SHARD_SIZE));
    }
  }
  return members;
}

function homesOf(members: ReadonlyMap<string, readonly ScopedModule[]>): Homes {
  const homes = new Map<string, Home>();
  for (const [shard, modules] of members) for (const { file } of modules) homes.set(file.path, { shard, name: `module${homes.size}` });
  return homes;
}

function shardText(path: string, modules: readonly ScopedModule[], homes: Homes): string {
  const lines = [...importLines(path, modules, homes)];
  const map = new LineMap();
  for (const { file, imports, exports, body, firstLine } of modules) {
    lines.push(`export const ${homes.get(file.path)?.name} = (() => {`, ...destructuringLines(imports, homes));
    map.add(file.origins, lines.length - firstLine);
    lines.push(...body, `return { ${exports.join(', ')} };`, '})();');
  }
  return `${lines.join('\n')}\n${map.comment()}`;
}

/** What collects policies stays a module: one of them is imported when asked for. */
function collectorText(module: ScopedModule, homes: Homes): string {
  const { file, imports, exports, body } = module;
  const head = [...importLines(file.path, [module], homes), ...destructuringLines(imports, homes)];
  return `${[...head, ...body, `export { ${exports.join(', ')} };`].join('\n')}\n${new LineMap().comment()}`;
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
  return [...imported].filter(([, names]) => names.size > 0).map(([source, names]) => `import ${clauseOf([...names])} from '${source}';`);
}

function clauseOf(names: readonly string[]): string {
  const [first = ''] = names;
  return first.startsWith('*') ? first : `{ ${names.join(', ')} }`;
}

/** The names of other policies' modules, under the names a module has for them. */
function destructuringLines(imports: readonly ModuleImport[], homes: Homes): readonly string[] {
  return imports.flatMap(({ from, names }) => {
    const home = homes.get(from);
    return home === undefined ? [] : [`const { ${names.map((name) => name.replace(' as ', ': ')).join(', ')} } = ${home.name};`];
  });
}
