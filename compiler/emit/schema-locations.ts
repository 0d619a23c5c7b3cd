import type { SchemaAddress, SchemaModule } from '../ir/schema.js';
import { MODULE_WORDS } from './module-context.js';
import { fileName, type ModuleLocation } from './module-path.js';
import { camelCase, Names } from './names.js';

/** The paths of the modules of JSON schemas, and the names of their definitions. */
export interface SchemaLocations {
  /** The path below the output folder, without extension, of each file below `_schemas`. */
  readonly paths: ReadonlyMap<string, string>;
  /** The name of each definition, by `definitionKey`. */
  readonly names: ReadonlyMap<string, string>;
}

/** Identifies a definition. */
export function definitionKey({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}

/**
 * One module per schema file, in the folders of the files. The name of a definition is unique in the whole program:
 * modules of policies may be merged into one (bundle), and none of them then needs to rename it.
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
  // `a.d.ts` would not be a module, and `a.test.ts` would be a test.
  return ['schemas', ...segments.map((segment) => fileName(segment).replace(/\.(d|test)$/i, '~2e$1'))].join('/');
}

/** `leaveRequestSchema`; a definition within it is named after the last segment of its pointer: `addressSchema`. */
function identifier(file: string, pointer: string): string {
  const own =
    pointer === ''
      ? file.replace(/\.json$/i, '').replace(/^.*\//, '')
      : pointer.replace(/^.*\//, '').replace(/^[0-9]+$/, 'item');
  return `${camelCase(own, 'json')}Schema`;
}
