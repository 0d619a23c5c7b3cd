import type { EmittedFile } from '../ir/emitted-file.js';
import type { Module } from '../ir/program.js';
import type { Locations } from './module.js';
import type { ModuleLocation } from './module-path.js';

/**
 * The emitted files of modules, and the locations they depended on. Entries are collected together with their modules.
 */
export type Emitted = WeakMap<Module, { readonly place: readonly string[]; readonly files: readonly EmittedFile[] }>;

/**
 * The files of a module: those emitted before if the same module has the same locations, as it does when a folder is
 * compiled again. A module that names JSON schemas is always emitted again: the schemas are not part of it.
 */
export function unlessEmitted(
  emitted: Emitted,
  module: Module,
  locations: Locations,
  emit: () => readonly EmittedFile[],
): readonly EmittedFile[] {
  if (namesSchemas(module)) return emit();
  const place = listLocations(module, locations);
  const before = emitted.get(module);
  if (before !== undefined && isSame(before.place, place)) return before.files;
  const files = emit();
  emitted.set(module, { place, files });
  return files;
}

function namesSchemas(module: Module): boolean {
  return (
    module.kind === 'resource' && (module.schemas.principal !== undefined || module.schemas.resource !== undefined)
  );
}

/** The locations that a module depends on: its own, and those of the sets of derived roles it imports, each once. */
function listLocations(module: Module, locations: Locations): readonly string[] {
  const imported = module.kind === 'resource' ? new Set(module.derivedRoles.map((role) => role.module)) : [];
  return [module.key, ...imported].map((key) => formatLocation(locations.get(key)));
}

/** Many policies import the same set, which may define many roles. */
const texts = new WeakMap<ModuleLocation, string>();

function formatLocation(location: ModuleLocation | undefined): string {
  if (location === undefined) return '';
  const text =
    texts.get(location) ??
    JSON.stringify([location.path, location.name, [...location.derivedRoles], [...location.unconditional]]);
  texts.set(location, text);
  return text;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
