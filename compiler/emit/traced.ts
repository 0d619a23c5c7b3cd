import { type EmittedFile, emittedFile, type Section, makeSection } from '../ir/emitted-file.js';
import type { Match, Module } from '../ir/program.js';
import { bracketed, type Doc, exported, hardLine, indent, join, mention, printed } from './doc.js';
import { tracedFunction } from './functions.js';
import { makeImports, runtimePart } from './imports.js';
import { type Locations, moduleContext, withHead } from './module.js';
import { type ModuleContext, TELLING } from './module-context.js';
import { importSpecifier, type ModuleLocation } from './module-path.js';
import { camelCase, Names } from './names.js';
import { objectDoc } from './object.js';
import type { ModuleOutline } from './outline.js';
import { quoted } from './quote.js';
import { type Emitted, unlessEmitted } from './remember.js';
import { rootPolicies, type ScopeModule, type ScopeRows, tracedScopeRows } from './scopes.js';
import { severalTimes } from './several.js';
import { tracedKeys } from '../ir/traced-keys.js';

/**
 * The second emission: every condition again, in a form that reports why it cannot be evaluated. For strict evaluation
 * and explaining; in separate modules, so that programs that do not use them do not load them.
 */
export function emitTraced(modules: readonly Module[], locations: Locations): readonly EmittedFile[] {
  return modules.flatMap((module) => {
    const conditions = listConditions(module);
    if (conditions.length === 0) return [];
    const { path } = locations.get(module.key) as ModuleLocation;
    return unlessEmitted(emitted, module, locations, () => [tracedModule(`traced/${path}.ts`, module, conditions)]);
  });
}

/**
 * generated/traced/index.ts: the second emission of all policies.
 *
 * @param modules sorted by key.
 */
export function emitTracedIndex(
  modules: readonly ModuleOutline[],
  scopes: readonly ScopeModule[],
  locations: Locations,
): EmittedFile {
  const names = new Names(['traced', 'visitRules', 'tracedByScope']);
  const parts = rootPolicies(modules, scopes)
    .filter(({ hasConditions }) => hasConditions)
    .map(({ identity }): TracedPart => {
      const { path, name } = locations.get(identity.key) as ModuleLocation;
      return { name: names.fresh(name), from: importSpecifier('traced/index', `traced/${path}`) };
    });
  return tracedIndex(parts, modules, scopes.length === 0 ? undefined : tracedScopeRows(scopes, names));
}

/** A module of the second emission, and the name of its list in the index. */
interface TracedPart {
  readonly name: string;
  readonly from: string;
}

const emitted: Emitted = new WeakMap();

function tracedModule(path: string, module: Module, conditions: readonly TracedCondition[]): EmittedFile {
  const context = moduleContext(module, ['conditions'], TELLING);
  // Without places: a breakpoint stops in the code that decides.
  const section: Section = {
    ...context.withDeclarations(() => conditionsDeclaration(conditions, context)),
    places: [],
  };
  return withHead(path, module, [section], []);
}

interface TracedCondition {
  readonly key: string;
  /** The name of the authored rule, if it was lowered to several. */
  readonly shared?: string;
  readonly condition: Match;
  readonly inverted: boolean;
}

/** The conditions of a module under the keys of `TracedBundle` (runtime/policy). */
function listConditions(module: Module): readonly TracedCondition[] {
  switch (module.kind) {
    case 'resource':
    case 'principal': {
      const several = severalTimes(module.rules);
      const keys = tracedKeys(module.key, module.rules);
      return module.rules.flatMap(({ name, condition, inverted }, index) => {
        const shared = several.has(name) ? { shared: name } : {};
        return condition === undefined ? [] : [{ key: keys[index] as string, ...shared, condition, inverted }];
      });
    }
    case 'role':
      return module.rules.flatMap(({ condition }, index) =>
        condition === undefined ? [] : [{ key: `${module.key}#${index}`, condition, inverted: false }],
      );
    case 'derived-roles':
      return module.definitions.flatMap(({ name, condition }) =>
        condition === undefined ? [] : [{ key: `${module.key}#${name}`, condition, inverted: false }],
      );
  }
}

function conditionsDeclaration(conditions: readonly TracedCondition[], context: ModuleContext): Doc {
  const entries = conditions.map(({ key, shared, condition, inverted }): Doc => {
    const traced = tracedFunction(condition, inverted, context);
    const named =
      shared === undefined
        ? traced
        : context.hoist(`${camelCase(shared, 'rule')}Condition`, traced, { type: mention('TracedCondition') });
    return [bracketed('[', [quoted(key), named], ']'), ','];
  });
  const list: Doc = ['[', indent([hardLine, join(entries, hardLine)]), hardLine, ']'];
  const type: Doc = ['readonly (readonly [string, ', mention('TracedCondition'), '])[]'];
  return [exported('conditions', false), ': ', type, ' = ', list, ';'];
}

function tracedIndex(
  parts: readonly TracedPart[],
  modules: readonly ModuleOutline[],
  scopes: ScopeRows | undefined,
): EmittedFile {
  const ofParts = parts.map(({ name, from }) => ({ from, names: [{ name: 'conditions', as: name }] }));
  const sources = modules
    .filter(({ identity }) => identity.kind !== 'derived-roles')
    .map(({ identity: { key }, sourcePath }): Doc => [bracketed('[', [quoted(key), quoted(sourcePath)], ']'), ',']);
  const object = objectDoc([
    ['conditions', printMap(parts.map(({ name }) => `...${name},`))],
    ['sources', printMap(sources)],
    ['visitRules', 'visitRules'],
  ]);
  const whole = scopes === undefined ? object : ['tracedByScope(', object, ', ', scopes.rows, ')'];
  const table = printed(['export const traced: CompiledTraces = ', whole, ';']);
  const engine = [...(scopes === undefined ? [] : ['tracedByScope']), 'visitRules'].map((name) => ({ name, as: name }));
  const type = { name: 'CompiledTraces', as: 'CompiledTraces', isType: true };
  const own = [{ from: runtimePart('parts'), names: [...engine, type] }, ...ofParts, ...(scopes?.imports ?? [])];
  const { sections, imports } = makeImports('traced/index.ts', [table], own);
  const head = '// Generated by authzc: every condition in a form that reports why it cannot be evaluated.';
  return emittedFile('traced/index.ts', [makeSection('comment', head), ...sections, table], { imports });
}

function printMap(entries: readonly Doc[]): Doc {
  const list: Doc = entries.length === 0 ? '[]' : ['[', indent([hardLine, join(entries, hardLine)]), hardLine, ']'];
  return ['new Map(', list, ')'];
}
