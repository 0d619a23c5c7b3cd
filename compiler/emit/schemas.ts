import type { ResourceModule, Schema } from '../ir/program.js';
import type { SchemaAddress } from '../ir/schema.js';
import { bracketed, type Doc, mention } from './doc.js';
import type { Import } from './imports.js';
import { importSpecifier } from './module-path.js';
import { objectDoc } from './object.js';
import { quoted } from './quote.js';
import { definitionKey, type SchemaLocations } from './schema-locations.js';

/**
 * The imports of a resource policy from the schema modules, and the code that validates its principals and resources.
 */
export interface UsedSchemas {
  readonly imports: readonly Import[];
  /** The identifiers it imports. */
  readonly names: readonly string[];
  /** The code of a reference's `violations`. */
  readonly violations: (schema: Schema) => Doc;
  /** The code of its `where`; undefined for a schema that could not be loaded. */
  readonly where: (schema: Schema) => Doc | undefined;
}

/** The schema definitions that a module at a path refers to. Their names are unique, so none is renamed. */
export function usedSchemas(
  { schemas }: Pick<ResourceModule, 'schemas'>,
  path: string,
  locations: SchemaLocations,
): UsedSchemas {
  const definitions = [schemas.principal, schemas.resource].flatMap((schema) =>
    schema === undefined || 'unavailable' in schema.validator ? [] : [schema.validator],
  );
  const findName = (at: SchemaAddress): string => locations.names.get(definitionKey(at)) as string;
  const imports = new Map<string, Set<string>>();
  for (const at of definitions) {
    const from = importSpecifier(path, locations.paths.get(at.file) as string);
    imports.set(from, (imports.get(from) ?? new Set()).add(findName(at)));
  }
  return {
    imports: [...imports].map(([from, names]) => ({ from, names: [...names].map((name) => ({ name, as: name })) })),
    names: definitions.map(findName),
    violations: ({ validator }) =>
      'unavailable' in validator
        ? [mention('unavailable'), '(', quoted(validator.unavailable), ')']
        : [mention('violationsOf'), `(${findName(validator)})`],
    where: ({ validator }) =>
      'unavailable' in validator ? undefined : [mention('rowsThatSatisfy'), `(${findName(validator)})`],
  };
}

/** The `schemas` of a resource policy, or nothing. */
export function schemasDoc(
  schemas: ResourceModule['schemas'],
  { violations, where }: UsedSchemas,
  checksOnly: boolean,
): Doc | undefined {
  if (schemas.principal === undefined && schemas.resource === undefined) return undefined;
  const schemaDoc = (schema: Schema, isOfRows: boolean): Doc =>
    objectDoc([
      ['ref', quoted(schema.ref)],
      [
        'ignores',
        schema.ignoredActions.length === 0
          ? undefined
          : bracketed(
              [mention('anyOf'), '(['],
              schema.ignoredActions.map((action): Doc => [mention('glob'), '(', quoted(action), ')']),
              '])',
            ),
      ],
      ['violations', violations(schema)],
      ['where', isOfRows ? where(schema) : undefined],
    ]);
  return objectDoc([
    ['principal', schemas.principal && schemaDoc(schemas.principal, false)],
    ['resource', schemas.resource && schemaDoc(schemas.resource, !checksOnly)],
  ]);
}
