import { posix } from 'node:path';
import { append } from '../append.js';
import { invariant } from '../diagnostics/invariant.js';
import type { EmittedFile, ImportedName, ModuleImport } from '../ir/emitted-file.js';
import { LineMap } from './line-map.js';
import { matchDecisions, localExports } from './module-code.js';
import {
  listArguments,
  makeBody,
  type ModuleGroup,
  moduleGroups,
  listParameters,
  type PolicyModule,
} from './module-groups.js';
import type { MappedText } from './source-map.js';

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
  const homes = findHomes(contents, scopes);
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
 * The groups of modules, keyed by shard. Modules that are loaded on demand have separate shards. Derived roles are
 * first, because policies import them, and filters last, because they import rules.
 */
function shardContents(files: readonly EmittedFile[]): ReadonlyMap<string, readonly ModuleGroup[]> {
  const contents = new Map<string, readonly ModuleGroup[]>();
  const exports = new Map<string, readonly string[]>();
  for (const folder of ['', 'traced/']) {
    const own = files.filter(({ path }) => path.startsWith('traced/') === (folder === 'traced/'));
    const rank = ({ path }: EmittedFile): number =>
      matchDecisions(path) !== undefined ? 2 : path.startsWith(`${folder}derived_roles/`) ? 0 : 1;
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

function findHomes(contents: ReadonlyMap<string, readonly ModuleGroup[]>, scopes: readonly EmittedFile[]): Homes {
  const homes = new Map<string, Home>();
  const ofScopes = new Set<string>();
  for (const file of scopes) for (const { from } of file.imports) ofScopes.add(from);
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
function nameMaker({ modules: [first] }: ModuleGroup, homes: Homes): string {
  return `make_${policyHome(first.file.path, homes).name}`;
}

/** What the function of its group is called with to make a module. */
function givenTo({ module, group }: PolicyHome, homes: Homes): string {
  const decisions = homes.get(matchDecisions(module.file.path) ?? '');
  return [...(decisions === undefined ? [] : [decisions.name]), ...listArguments(group, module)].join(', ');
}

function shardText(groups: readonly ModuleGroup[], homes: Homes, path: string): string {
  const isHere = ({ file }: PolicyModule): boolean => homes.get(file.path)?.of === 'shard';
  const imports: ModuleImport[] = [];
  const lines: string[] = [];
  const map = new LineMap();
  for (const group of groups) {
    const { modules } = group;
    const [{ file }] = modules;
    append(imports, file.imports);
    const make = nameMaker(group, homes);
    const decisions = matchDecisions(file.path);
    const parameters = [...(decisions === undefined ? [] : [DECISIONS]), ...listParameters(group)];
    // Not an arrow function: within another function, V8 reads those whole before they are called.
    lines.push(`function ${make}(${parameters.join(', ')}) {`);
    append(lines, destructuringLines(file.imports, homes, decisions));
    map.add(file.origins, lines.length);
    const body = makeBody(group);
    const own = body.text.split('\n');
    // In a body with parameters, the columns differ.
    if (group.differing.length === 0) map.addPlaces(own, body.places, lines.length);
    append(lines, own);
    lines.push(`return [${localExports(file.exports).join(', ')}];`, '}');
    if (!modules.every(isHere)) lines.push(`${MAKERS}.${make} = ${make};`);
    for (const { file: each } of modules.filter(isHere)) {
      // The other imports are those of the first module.
      const ownDecisions = matchDecisions(each.path);
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
    const { imports, lists } = file;
    const lines = [`function ${homes.get(file.path)?.name}() {`];
    const own = imports.flatMap(({ from }) => (homes.has(from) ? [policyHome(from, homes)] : []));
    const isFilters = ({ module }: PolicyHome): boolean => matchDecisions(module.file.path) !== undefined;
    // Filters are given the policies that they belong to.
    for (const home of [...own.filter((home) => !isFilters(home)), ...own.filter(isFilters)]) {
      map.addFirst(home.module.file.origins, line + lines.length);
      lines.push(`const ${home.name} = ${MAKERS}.${nameMaker(home.group, homes)}(${givenTo(home, homes)});`);
    }
    const names = new Map(importedNames(imports, homes));
    const returned = lists.map(({ list, names: listed, isSpread }) => {
      const values = listed.map((name) => names.get(name) ?? invariant(`${file.path} does not import ${name}`));
      return `${list}: [${values.map((value) => (isSpread ? `...${value}` : value)).join(', ')}]`;
    });
    lines.push(`return { ${returned.join(', ')} };`, '}');
    parts.push(`${lines.join('\n')}\n`);
    line += lines.length;
  }
  return map.over(parts, line);
}

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
  const { text, pieces, imports } = file;
  const own = pieces.of(text).map((piece) => (piece.kind === 'imports' ? '' : piece.text));
  const head = [
    ...made.map((shard) => `import '${shard}';`),
    ...importLines(file.path, imports, homes),
    ...destructuringLines(imports, homes),
  ];
  return `${head.join('\n')}\n${own.join('')}\n${new LineMap().comment()}`;
}

/** Imports of modules from the runtime, other shards and collectors, without duplicates. */
function importLines(path: string, imports: readonly ModuleImport[], homes: Homes): readonly string[] {
  const imported = new Map<string, Map<string, ImportedName>>();
  for (const { from, names } of imports) {
    const home = homes.get(from);
    if (home !== undefined && home.of !== 'shard') continue;
    const source = home?.shard ?? from;
    if (source === path) continue;
    const known = imported.get(source) ?? new Map<string, ImportedName>();
    for (const name of home === undefined ? names : [{ name: home.name, as: home.name }]) known.set(name.as, name);
    imported.set(source, known);
  }
  return [...imported].flatMap(([source, names]) => {
    const whole = [...names.values()].filter(({ name }) => name === '*');
    const named = [...names.values()].filter(({ name }) => name !== '*');
    const list = named.map(({ name, as }) => (name === as ? name : `${name} as ${as}`)).join(', ');
    return [
      ...whole.map(({ as }) => `import * as ${as} from '${source}';`),
      ...(named.length === 0 ? [] : [`import { ${list} } from '${source}';`]),
    ];
  });
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
    return names.map(({ name, as: local }) => {
      const list = from === decisions ? DECISIONS : home.name;
      return [local, home.of === 'head' ? home.name : `${list}[${home.module.exports.indexOf(name)}]`] as const;
    });
  });
}
