/** A JSON schema that is read as data. */
type SchemaObject = { readonly [keyword: string]: unknown };

/** Below this depth nothing is shown: schemas may refer to themselves. */
const DEEPEST = 4;
/** More would hide the rest of the request. */
const MOST_PROPERTIES = 30;

/**
 * A value for a form that a JSON schema probably accepts: its first example, default or choice, otherwise a value of
 * its type; objects have all their properties. Keywords that limit values are not read, so it may need to be edited.
 */
export function exampleOfSchema(schema: unknown): unknown {
  return makeValue(schema, schema, 0);
}

function makeValue(schema: unknown, root: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > DEEPEST) return null;
  const { $ref: ref, const: constant, default: preset, examples, enum: choices, type, allOf, anyOf, oneOf } = schema;
  if (typeof ref === 'string') return makeValue(findTarget(ref, root), root, depth + 1);
  if (constant !== undefined) return constant;
  if (preset !== undefined) return preset;
  for (const values of [examples, choices]) if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
  for (const parts of [allOf, anyOf, oneOf])
    if (Array.isArray(parts) && schema['properties'] === undefined) return makeValue(parts[0], root, depth + 1);
  switch (Array.isArray(type) ? (type as unknown[])[0] : (type ?? (isObject(schema['properties']) ? 'object' : ''))) {
    case 'object':
      return makeObject(schema, root, depth);
    case 'array':
      return schema['items'] === undefined ? [] : [makeValue(schema['items'], root, depth + 1)];
    case 'string':
      return FORMATS[String(schema['format'])] ?? '';
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function makeObject({ properties }: SchemaObject, root: unknown, depth: number): object {
  const entries = isObject(properties) ? Object.entries(properties).slice(0, MOST_PROPERTIES) : [];
  return Object.fromEntries(entries.map(([name, property]) => [name, makeValue(property, root, depth + 1)]));
}

/** A part of the same schema: `#/$defs/address`. */
function findTarget(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined;
  const steps = ref
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>(
    (part, step) => (isObject(part) && Object.hasOwn(part, step) ? part[step] : undefined),
    root,
  );
}

const FORMATS: { readonly [format: string]: string | undefined } = {
  'date-time': '2025-01-31T12:00:00Z',
  date: '2025-01-31',
  email: 'alice@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
};

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
