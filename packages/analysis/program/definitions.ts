import type { Module } from '../../../compiler/ir/program.js';
import type * as cel from '../../cel/runtime/index.js';

/** The variables and constants of a module by name. */
export interface Definitions {
  readonly variables: ReadonlyMap<string, Module['variables'][number]>;
  readonly constants: ReadonlyMap<string, cel.Value>;
}

const known = new WeakMap<object, Definitions>();

/** Finds the variables and constants of a module. They are looked up once. */
export function readDefinitions(module: Pick<Module, 'variables' | 'constants'>): Definitions {
  const before = known.get(module);
  if (before !== undefined) return before;
  const definitions = {
    variables: new Map(module.variables.map((variable) => [variable.name, variable])),
    constants: new Map(module.constants.map(({ name, value }) => [name, value as cel.Value])),
  };
  known.set(module, definitions);
  return definitions;
}
