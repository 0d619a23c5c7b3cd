import { createHash } from 'node:crypto';
import { addTo } from '../append.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import { matchDecisions, localExports, type ModuleBody, moduleBody, type Shape, findShape } from './module-code.js';

/** What is kept of the module of a policy. Its file is read again for the rest, which most modules share. */
export interface PolicyModule {
  readonly file: EmittedFile;
  /** The names of its exports. */
  readonly exports: readonly string[];
  /** Its literals as JSON: as a list, they would keep the text in memory. */
  readonly literals: string;
}

/** Modules that differ only in literals: one body, with a parameter for each literal that differs. */
export interface ModuleGroup {
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
export function moduleGroups(
  files: readonly EmittedFile[],
  exports: Map<string, readonly string[]>,
): readonly ModuleGroup[] {
  const groups = new Map<string, PolicyModule[]>();
  for (const file of files) {
    const names = file.exports.map(({ name }) => name);
    exports.set(file.path, names);
    const shape = findShape(file);
    const module = { file, exports: names, literals: JSON.stringify(shape.literals) };
    addTo(groups, makeKey(file, shape, exports), module);
  }
  const shared = [...groups.values()].flatMap((group) =>
    group.length < SHARED_FROM ? group.map((module) => [module]) : [group],
  );
  return shared.map((modules) => makeGroup(modules as [PolicyModule, ...PolicyModule[]]));
}

/**
 * Modules with equal keys have bodies of one shape, in which imported names have the same meaning, or the same meaning
 * relative to the policy whose filters they contain.
 */
function makeKey(
  { path, imports, exports }: EmittedFile,
  { code }: Shape,
  exported: ReadonlyMap<string, readonly string[]>,
): string {
  const decisions = matchDecisions(path);
  const meant = imports.map(({ from, names }) =>
    from === decisions
      ? names.map(({ name, as }) => [exported.get(from)?.indexOf(name) ?? -1, as])
      : [from, names.map(({ name, as }) => [name, as])],
  );
  const key = JSON.stringify([meant, localExports(exports), code]);
  return createHash('sha256').update(key).digest('base64');
}

function makeGroup(modules: ModuleGroup['modules']): ModuleGroup {
  if (modules.length === 1) return { modules, differing: [] };
  const literals = listLiterals(modules[0]);
  const isDifferent = literals.map(() => false);
  for (const module of modules)
    for (const [index, literal] of listLiterals(module).entries()) isDifferent[index] ||= literal !== literals[index];
  return { modules, differing: [...literals.keys()].filter((index) => isDifferent[index]) };
}

/** The parameters of the function of a group. */
export function listParameters({ differing }: ModuleGroup): readonly string[] {
  return differing.map(parameter);
}

/** The literals of a module of the group, by parameter. */
export function listArguments({ differing }: ModuleGroup, module: PolicyModule): readonly string[] {
  if (differing.length === 0) return [];
  const literals = listLiterals(module);
  return differing.map((index) => literals[index] as string);
}

/** The body of a group: that of its first module, with the parameters. */
export function makeBody({ modules: [first], differing }: ModuleGroup): ModuleBody {
  const isDifferent = new Set(differing);
  return moduleBody(first.file, (literal) => (isDifferent.has(literal) ? parameter(literal) : undefined));
}

function parameter(literal: number): string {
  return `$$${literal}`;
}

function listLiterals({ literals }: PolicyModule): readonly string[] {
  return JSON.parse(literals) as readonly string[];
}
