import type { ConfigKey } from './key.js';
import { KEYS } from './keys.js';
import { writeDefault } from './reference.js';
import type { JsonSchema } from './value-types.js';

/**
 * The JSON Schema (draft 7) of a configuration file, for editors: `# yaml-language-server: $schema=...`. The server
 * itself goes by the table; where a file has a reference to the environment, only the server knows the value.
 */
export function configSchema(): JsonSchema {
  const root: Block = new Map();
  for (const [path, key] of Object.entries<ConfigKey>(KEYS)) insert(root, path.split('.'), schemaOf(key));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of authz',
    ...blockSchema(root),
    definitions: {
      unset: {
        description: 'A key without a value is left out; a reference to the environment is any value',
        type: ['null', 'string'],
        pattern: String.raw`\$`,
      },
    },
  };
}

type Block = Map<string, Block | JsonSchema>;

function insert(block: Block, path: readonly string[], schema: JsonSchema): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    block.set(name, schema);
    return;
  }
  const child = block.get(name);
  const inner: Block = child instanceof Map ? child : new Map();
  block.set(name, inner);
  insert(inner, rest, schema);
}

function blockSchema(block: Block): JsonSchema {
  const named = [...block].filter(([name]) => name !== '*');
  return {
    type: ['object', 'null'],
    additionalProperties: block.has('*'),
    properties: Object.fromEntries(
      named.map(([name, child]) => [name, child instanceof Map ? blockSchema(child) : child]),
    ),
  };
}

function schemaOf(key: ConfigKey): JsonSchema {
  switch (key.kind) {
    case 'used': {
      const written = writeDefault(key);
      return {
        description: key.meaning,
        ...(written !== undefined && { default: written }),
        ...orUnset(key.type.schema),
      };
    }
    case 'ignored':
      return { description: `has no effect: ${key.why}`, deprecated: true };
    case 'refused':
      return { description: key.why, ...orUnset(key.type.schema) };
    case 'quiet':
      return {};
  }
}

function orUnset(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { $ref: '#/definitions/unset' }] };
}
