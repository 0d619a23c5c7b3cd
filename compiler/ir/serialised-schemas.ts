import type { Program, ResourceModule } from './program.js';

/** The schemas of a program, which its serialisation leaves out. */
interface SchemasJson {
  readonly schemas: Program['schemas'];
  /** Those that resource policies name, by the key of their module. */
  readonly references: readonly (readonly [key: string, schemas: ResourceModule['schemas']])[];
}

/** The JSON schemas of a program, and where policies name them, as JSON. */
export function serialiseSchemas({ modules, schemas }: Program): string {
  const references = modules.flatMap((module) =>
    module.kind === 'resource' && (module.schemas.principal ?? module.schemas.resource) !== undefined
      ? [[module.key, module.schemas] as const]
      : [],
  );
  const json: SchemasJson = { schemas, references };
  return JSON.stringify(json, (_, value) => (value instanceof Map ? { $map: [...value] } : value));
}

/** A program that was serialised, with its schemas. */
export function withSchemas(program: Program, text: string): Program {
  const { schemas, references } = JSON.parse(text, (_, value) =>
    typeof value === 'object' && value !== null && Array.isArray(value.$map) ? new Map(value.$map) : value,
  ) as SchemasJson;
  const byKey = new Map(references);
  const modules = program.modules.map((module) => {
    const own = byKey.get(module.key);
    return module.kind === 'resource' && own !== undefined ? { ...module, schemas: own } : module;
  });
  return { ...program, modules, schemas };
}
