import type { Source } from '../diagnostics/source.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import type { Module, Program } from '../ir/program.js';
import type { SchemaModule } from '../ir/schema.js';
import { emitBundleEntry, emitHash, emitIndex } from './bundle-index.js';
import { emitDocuments, emitExplained, emitSubjects } from './explained.js';
import { emitFacts } from './facts.js';
import { emitManifest } from './manifest.js';
import { emitModule, type Locations } from './module.js';
import { type ModuleIdentity, moduleLocations } from './module-path.js';
import { type ModuleOutline, makeOutline } from './outline.js';
import { type SchemaLocations, schemaLocations } from './schema-locations.js';
import type { EmitOptions } from './options.js';
import { type Emitted, unlessEmitted } from './remember.js';
import { emitSchemaModule } from './schema-module.js';
import { emitSelect } from './select.js';
import { emitScopeModules, emitTracedScopes, scopeModules } from './scopes.js';
import { emitTenantRoles } from './tenant-roles.js';
import { emitTraced, emitTracedIndex } from './traced.js';

/**
 * The program as TypeScript, sorted by path: one module for each policy and each JSON schema, the second emission of
 * their conditions, the index and the manifest. The types for callers are separate (types.ts): serving does not need
 * them.
 * @param version of this compiler, for the manifest.
 */
export function emit(
  program: Program,
  sources: readonly Source[],
  version: string,
  options: EmitOptions = {},
): readonly EmittedFile[] {
  const { explained, factsProgram } = options;
  const places = findPlaces(program.modules, program.schemas);
  const policies = emitPolicies(program.modules, places, options);
  const outlines = program.modules.map(makeOutline);
  const files = [...emitAround(outlines, program, policies, places, options)];
  if (factsProgram !== undefined) files.push(emitFacts(factsProgram));
  if (explained !== undefined) files.push(emitExplained(explained), emitSubjects(explained), emitDocuments(explained));
  return [...files, emitManifest(files, sources, version)].sort(byPath);
}

/** The locations of modules and schemas. */
export interface Places {
  readonly locations: Locations;
  readonly schemas: SchemaLocations;
}

/** Where the modules of a program are. */
export function findPlaces(modules: readonly ModuleIdentity[], schemas: readonly SchemaModule[]): Places {
  const locations = moduleLocations(modules);
  return { locations, schemas: schemaLocations(schemas, locations.values()) };
}

/** The files that policies have alone, in the order of the policies. */
export interface PolicyModules {
  readonly modules: readonly EmittedFile[];
  /** Their second emission. */
  readonly traced: readonly EmittedFile[];
}

/** Emits the files that policies have alone. */
export function emitPolicies(
  modules: readonly Module[],
  { locations, schemas }: Places,
  options: EmitOptions,
): PolicyModules {
  const { checksOnly = false } = options;
  return {
    modules: modules.flatMap((module) =>
      unlessEmitted(checksOnly ? emittedForChecks : emitted, module, locations, () =>
        emitModule(module, locations, schemas, options),
      ),
    ),
    traced: checksOnly ? [] : emitTraced(modules, locations),
  };
}

/**
 * The files of policies with those that they share: JSON schemas, roles of tenants, the hash and the indexes.
 *
 * @param outlines sorted by key, as the policies.
 */
export function emitAround(
  outlines: readonly ModuleOutline[],
  { schemas: schemaModules, tenantRoles }: Pick<Program, 'schemas' | 'tenantRoles'>,
  { modules, traced }: PolicyModules,
  { locations, schemas }: Places,
  options: EmitOptions,
): readonly EmittedFile[] {
  const hashed = [
    ...modules,
    ...schemaModules.map((module) => emitSchemaModule(module, schemas, options)),
    ...(tenantRoles === undefined ? [] : [emitTenantRoles(tenantRoles)]),
  ];
  const { checksOnly = false, scopedFrom } = options;
  const scopes = scopeModules(outlines, scopedFrom);
  return [
    ...hashed,
    ...traced,
    ...emitScopeModules(scopes, locations, checksOnly),
    ...(checksOnly
      ? []
      : [
          ...emitTracedScopes(scopes, locations),
          emitTracedIndex(outlines, scopes, locations),
          emitSelect(outlines, schemaModules),
        ]),
    emitHash(hashed),
    emitBundleEntry(options),
    emitIndex({ modules: outlines, scopes }, { tenantRoles }, locations, options),
  ];
}

/** The order of emitted files. */
export function byPath(a: EmittedFile, b: EmittedFile): number {
  return a.path < b.path ? -1 : 1;
}

const emitted: Emitted = new WeakMap();
const emittedForChecks: Emitted = new WeakMap();
