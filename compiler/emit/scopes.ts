import { addTo } from '../append.js';
import { type EmittedFile, emittedFile, type ReturnedList, makeSection } from '../ir/emitted-file.js';
import { bracketed, type Doc, hardLine, indent, join, printed } from './doc.js';
import { type Import, makeImports, runtimePart } from './imports.js';
import type { Locations } from './module.js';
import { fileName, importSpecifier, type ModuleIdentity, type ModuleLocation, Paths } from './module-path.js';
import { camelCase, Names } from './names.js';
import { objectDoc, shortObjectDoc } from './object.js';
import type { ModuleOutline } from './outline.js';
import { quoted } from './quote.js';

/**
 * The number of policies with a scope from which on, the policies of a scope are made when a request first names it.
 * Smaller sets load fast as a whole, and their index names all policies.
 */
const FROM = 1_000;

/** The policies of a scope, whose module the indexes import. */
export interface ScopeModule {
  readonly scope: string;
  /** Below the output folder, without extension. */
  readonly path: string;
  readonly name: string;
  /** Sorted by key. */
  readonly policies: readonly ModuleOutline[];
}

/**
 * The scopes whose policies have a module for each scope, sorted; none in small sets.
 *
 * @param from in place of the usual number, for tests.
 */
export function scopeModules(modules: readonly ModuleOutline[], from = FROM): readonly ScopeModule[] {
  const scoped = modules.filter(({ identity }) => findScope(identity) !== '');
  if (scoped.length === 0 || scoped.length < from) return [];
  const byScope = new Map<string, ModuleOutline[]>();
  for (const module of scoped) addTo(byScope, findScope(module.identity), module);
  const paths = new Paths();
  return [...byScope.keys()].sort().map((scope) => ({
    scope,
    path: paths.fresh(`scope/${fileName(scope)}`),
    name: camelCase(scope, 'scope'),
    policies: byScope.get(scope) as ModuleOutline[],
  }));
}

/** The policies that are not in the modules of scopes. */
export function rootPolicies(
  modules: readonly ModuleOutline[],
  scopes: readonly ScopeModule[],
): readonly ModuleOutline[] {
  return scopes.length === 0 ? modules : modules.filter(({ identity }) => findScope(identity) === '');
}

/** The modules of scopes: functions that return the policies. */
export function emitScopeModules(
  scopes: readonly ScopeModule[],
  locations: Locations,
  checksOnly: boolean,
): readonly EmittedFile[] {
  return scopes.map(({ path, name, policies }) => {
    const names = new Names([name, ...LISTS]);
    const imports: Import[] = [];
    const imported = (from: string, exported: string): string => {
      const as = names.fresh(exported);
      imports.push({ from: importSpecifier(path, from), names: [{ name: exported, as }] });
      return as;
    };
    const findLocation = ({ identity }: ModuleOutline): ModuleLocation => locations.get(identity.key) as ModuleLocation;
    const makeList = (name: string, kind: ModuleIdentity['kind']): ReturnedList => ({
      list: name,
      names: policies
        .filter(({ identity }) => identity.kind === kind)
        .map((module) => imported(findLocation(module).path, findLocation(module).name)),
      isSpread: false,
    });
    const filters = (): ReturnedList => ({
      list: 'filters',
      names: policies
        .filter(({ hasConditions }) => hasConditions)
        .map((module) => imported(`${findLocation(module).path}.where`, findLocation(module).filters)),
      isSpread: false,
    });
    const lists = [
      makeList('resourcePolicies', 'resource'),
      makeList('principalPolicies', 'principal'),
      makeList('rolePolicies', 'role'),
      ...(checksOnly ? [] : [filters()]),
    ];
    return scopeFile(`${path}.ts`, { name, type: 'PolicyLists', part: 'policy' }, lists, imports);
  });
}

/** The modules of scopes for the second emission. Scopes without conditions have none. */
export function emitTracedScopes(scopes: readonly ScopeModule[], locations: Locations): readonly EmittedFile[] {
  return tracedScopes(scopes).map(({ path, name, policies }) => {
    const names = new Names([name, 'conditions']);
    const parts = policies
      .filter(({ hasConditions }) => hasConditions)
      .map(({ identity }) => {
        const location = locations.get(identity.key) as ModuleLocation;
        return { from: importSpecifier(path, location.path), conditions: names.fresh(location.name) };
      });
    const lists = [{ list: 'conditions', names: parts.map(({ conditions }) => conditions), isSpread: true }];
    const imports = parts.map(({ from, conditions }) => ({ from, names: [{ name: 'conditions', as: conditions }] }));
    return scopeFile(`traced/${path}.ts`, { name, type: 'TracedLists', part: 'parts' }, lists, imports);
  });
}

/** The scopes that have a module of the second emission. */
function tracedScopes(scopes: readonly ScopeModule[]): readonly ScopeModule[] {
  return scopes.filter(({ policies }) => policies.some(({ hasConditions }) => hasConditions));
}

/** What an index says of each scope. */
export interface ScopeRows {
  readonly rows: Doc;
  readonly imports: readonly Import[];
}

/**
 * The scopes as rows of `loadedByScope`, with the imports of their modules.
 *
 * @param names of the index.
 */
export function scopeRows(scopes: readonly ScopeModule[], names: Names): ScopeRows {
  return makeRows(scopes, { index: 'index', folder: '' }, names, ({ policies }) => {
    const identities = policies.map(({ identity }) => identity);
    const principals = identities.flatMap((identity) => (identity.kind === 'principal' ? [identity.principal] : []));
    return [
      ['listsResources', String(policies.some(({ listsResources }) => listsResources))],
      ['hasRoles', String(identities.some(({ kind }) => kind === 'role'))],
      ['principals', list([...new Set(principals)].map(quoted))],
    ];
  });
}

/** The scopes as rows of `tracedByScope`. */
export function tracedScopeRows(scopes: readonly ScopeModule[], names: Names): ScopeRows {
  return makeRows(tracedScopes(scopes), { index: 'traced/index', folder: 'traced/' }, names, () => []);
}

function makeRows(
  scopes: readonly ScopeModule[],
  { index, folder }: { readonly index: string; readonly folder: string },
  names: Names,
  factsOf: (scope: ScopeModule) => readonly (readonly [string, Doc])[],
): ScopeRows {
  const imports: Import[] = [];
  const rows = scopes.map((module): Doc => {
    const { scope, path, name } = module;
    const as = names.fresh(name);
    imports.push({ from: importSpecifier(index, `${folder}${path}`), names: [{ name, as }] });
    return [shortObjectDoc([['scope', quoted(scope)], ...factsOf(module), ['load', as]]), ','];
  });
  return { rows: ['[', indent([hardLine, join(rows, hardLine)]), hardLine, ']'], imports };
}

function scopeFile(
  path: string,
  { name, type, part }: { readonly name: string; readonly type: string; readonly part: string },
  lists: readonly ReturnedList[],
  own: readonly Import[],
): EmittedFile {
  const returned = objectDoc(
    lists.map(({ list: of, names, isSpread }) => [of, list(isSpread ? names.map((each) => `...${each}`) : names)]),
  );
  const text = printed([`export const ${name} = (): ${type} => (`, returned, ');']);
  const typeImport = { from: runtimePart(part), names: [{ name: type, as: type, isType: true }] };
  const { sections, imports } = makeImports(path, [text], [typeImport, ...own]);
  const head = makeSection('comment', '// Generated by authzc: the policies of one scope.');
  return emittedFile(path, [head, ...sections, text], { imports, lists });
}

const LISTS = ['resourcePolicies', 'principalPolicies', 'rolePolicies', 'filters'];

function list(items: readonly Doc[]): Doc {
  return bracketed('[', items, ']');
}

function findScope(identity: ModuleIdentity): string {
  return identity.kind === 'derived-roles' ? '' : identity.scope;
}
