import { decisionsOf, type ScopedModule } from './scoped-module.js';
import { filled, type Shape, shapeOf } from './shape.js';

/** Modules that differ in literals only: one body, with a parameter for each literal that differs. */
export interface ModuleGroup {
  readonly modules: readonly ScopedModule[];
  /** The lines of the body, as many as the first module has. */
  readonly body: readonly string[];
  readonly parameters: readonly string[];
  /** The literals of a module of the group, by parameter. */
  readonly argumentsOf: (module: ScopedModule) => readonly string[];
}

/** The place of a name among the exports of a module. */
export type PlaceOf = (path: string, name: string) => number;

/** Groups modules, in the order of the first of each group. */
export function moduleGroups(modules: readonly ScopedModule[], placeOf: PlaceOf): readonly ModuleGroup[] {
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
