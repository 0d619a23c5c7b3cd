import type { SchemaAddress, SchemaModule } from '../ir/schema.js';
import { MODULE_WORDS } from './module-context.js';
import { fileName, type ModuleLocation } from './module-path.js';
import { camelCase, Names } from './names.js';

/** Where the modules of JSON schemas go, and what their definitions are called. */
export interface SchemaLocations {
  /** By file below `_schemas`: the path below the output folder, without extension. */
  readonly paths: ReadonlyMap<string, string>;
  /** By `definitionKey`. */
  readonly names: ReadonlyMap<string, string>;
}

/** What tells a definition from all others. */
export function definitionKey({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}

/**
 * A module a schema file, in the folders of the files. A definition's name is its own in the whole program: modules of
 * policies may come to stand in one (bundle), and none of them then needs to rename it.
 */
export function schemaLocations(modules: readonly SchemaModule[], policies: Iterable<ModuleLocation>): SchemaLocations {
  const reserved = [...policies].flatMap(({ name, derivedRoles }) => [name, ...derivedRoles.values()]);
  const identifiers = new Names(reserved, MODULE_WORDS);
  const taken = new Set<string>();
  const paths = new Map<string, string>();
  const names = new Map<string, string>();
  for (const { file, definitions } of modules) {
    const wish = modulePath(file);
    let path = wish;
    for (let i = 2; taken.has(path.toLowerCase()); i += 1) path = `${wish}~${i}`;
    taken.add(path.toLowerCase());
    paths.set(file, path);
    for (const { pointer } of definitions)
      names.set(definitionKey({ file, pointer }), identifiers.fresh(identifier(file, pointer)));
  }
  return { paths, names };
}

function modulePath(file: string): string {
  const segments = file.replace(/\.json$/i, '').split('/');
  // `a.d.ts` would be no module, and `a.test.ts` a test.
  return ['schemas', ...segments.map((segment) => fileName(segment).replace(/\.(d|test)$/i, '~2e$1'))].join('/');
}

/** `leaveRequestSchema`; a definition within it by the last name on the way: `addressSchema`. */
function identifier(file: string, pointer: string): string {
  const own =
    pointer === ''
      ? file.replace(/\.json$/i, '').replace(/^.*\//, '')
      : pointer.replace(/^.*\//, '').replace(/^[0-9]+$/, 'item');
  return `${camelCase(own, 'json')}Schema`;
}
