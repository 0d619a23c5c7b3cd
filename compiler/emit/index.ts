import type { Source } from '../diagnostics/source.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import type { Program } from '../ir/program.js';
import { emitHash, emitIndex } from './bundle-index.js';
import { emitExplained } from './explained.js';
import { emitManifest } from './manifest.js';
import { emitModule } from './module.js';
import { moduleLocations } from './module-path.js';
import { schemaLocations } from './schema-locations.js';
import type { EmitOptions } from './options.js';
import { type Emitted, unlessEmitted } from './remember.js';
import { emitSchemaModule } from './schema-module.js';
import { emitTraced } from './traced.js';

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
  const { checksOnly = false, explained } = options;
  const locations = moduleLocations(program.modules);
  const schemas = schemaLocations(program.schemas, locations.values());
  const modules = [
    ...program.modules.flatMap((module) =>
      unlessEmitted(checksOnly ? emittedForChecks : emitted, module, locations, () =>
        emitModule(module, locations, schemas, options),
      ),
    ),
    ...program.schemas.map((module) => emitSchemaModule(module, schemas, options)),
  ];
  const files = [
    ...modules,
    ...(checksOnly ? [] : emitTraced(program, locations)),
    ...(explained === undefined ? [] : [emitExplained(explained)]),
    emitHash(modules),
    emitIndex(program, locations, options),
  ];
  return [...files, emitManifest(files, sources, version)].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const emitted: Emitted = new WeakMap();
const emittedForChecks: Emitted = new WeakMap();
