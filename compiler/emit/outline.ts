import type { Module } from '../ir/program.js';
import { filterFunctions } from './filter-functions.js';
import { hasConditions } from './filters.js';
import type { ModuleIdentity } from './module-path.js';

/** All that the files that several policies share, such as the index, depend on in a module, as JSON. */
export interface ModuleOutline {
  readonly identity: ModuleIdentity;
  readonly sourcePath: string;
  /** Whether it has a second emission, and filters. */
  readonly hasConditions: boolean;
  /** Whether a result depends on evaluating its rules one by one (runtime/engine/find/tables.ts). */
  readonly isVisited: boolean;
  /** Whether requests about resources can be at its scope. */
  readonly listsResources: boolean;
  /** The functions that its filters call. */
  readonly functions: readonly string[];
}

/** The outline of a module. */
export function makeOutline(module: Module): ModuleOutline {
  return {
    identity: makeIdentity(module),
    sourcePath: module.sourcePath,
    hasConditions: hasConditions(module),
    isVisited: isVisited(module),
    listsResources: module.kind === 'resource' || (module.kind === 'role' && module.rules.length > 0),
    functions: filterFunctions({ modules: [module], schemas: [] }),
  };
}

function makeIdentity(module: Module): ModuleIdentity {
  const { key } = module;
  switch (module.kind) {
    case 'resource':
      return { kind: module.kind, key, kindName: module.kindName, version: module.version, scope: module.scope };
    case 'principal':
      return { kind: module.kind, key, principal: module.principal, version: module.version, scope: module.scope };
    case 'role':
      return { kind: module.kind, key, role: module.role, version: module.version, scope: module.scope };
    case 'derived-roles': {
      const definitions = module.definitions.map(({ name, condition }) =>
        condition === undefined ? { name } : { name, condition: true },
      );
      return { kind: module.kind, key, name: module.name, definitions };
    }
  }
}

/** Whether a result depends on evaluating its rules one by one (runtime/engine/find/tables.ts). */
export function isVisited(module: Module): boolean {
  if (module.kind === 'derived-roles' || module.kind === 'role') return false;
  const needsOrder = module.kind === 'principal' ? module.readsRuntime : module.roles.crowded;
  return needsOrder || module.rules.some(({ output, memo }) => output !== undefined || memo !== undefined);
}
