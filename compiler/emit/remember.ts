import type { EmittedFile } from '../ir/emitted-file.js';
import type { Module } from '../ir/program.js';
import type { Locations } from './module.js';
import type { ModuleLocation } from './module-path.js';

/** What was emitted for modules, and where they stood then. Entries go with the modules they are about. */
export type Emitted = WeakMap<Module, { readonly place: string; readonly file: EmittedFile }>;

/**
 * The file of a module: the one emitted before when the same module stands in the same place, as it does when a folder is compiled
 * again. A module that names JSON schemas is emitted anew: they are no part of it.
 */
export function unlessEmitted(emitted: Emitted, module: Module, locations: Locations, emit: () => EmittedFile): EmittedFile {
  if (namesSchemas(module)) return emit();
  const place = placeOf(module, locations);
  const before = emitted.get(module);
  if (before?.place === place) return before.file;
  const file = emit();
  emitted.set(module, { place, file });
  return file;
}

function namesSchemas(module: Module): boolean {
  return module.kind === 'resource' && (module.schemas.principal !== undefined || module.schemas.resource !== undefined);
}

/** All that is taken from the locations: the module's own, and those of the derived roles it imports. */
function placeOf(module: Module, locations: Locations): string {
  const imported = module.kind === 'resource' ? module.derivedRoles.map((role) => locations.get(role.module)) : [];
  return JSON.stringify([locations.get(module.key), ...imported].map(textOf));
}

function textOf(location: ModuleLocation | undefined): unknown {
  return location && [location.path, location.name, [...location.derivedRoles]];
}
