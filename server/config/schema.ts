import * as v from 'valibot';
import { CONFIGURATION } from './keys.js';
import { readAbout, findFields, findForms, findItem, findValue, type JsonSchema, type Type } from './schema-type.js';
import { type ForeignKey, isSection, type Section, type UsedKey, usedKey } from './section.js';

/**
 * The JSON Schema (draft 7) of a configuration file, for editors: `# yaml-language-server: $schema=...`. The server
 * itself goes by the keys; where a file has a reference to the environment, only the server knows the value.
 */
export function configSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of authz',
    ...sectionSchema(CONFIGURATION),
    definitions: {
      unset: {
        description: 'A key without a value is left out; a reference to the environment is any value',
        type: ['null', 'string'],
        pattern: String.raw`\$`,
      },
    },
  };
}

function sectionSchema({ entries, foreign }: Section): JsonSchema {
  const { '*': rest, ...named } = foreign;
  const keys = Object.entries(entries as v.ObjectEntries).map(([name, entry]) => [
    name,
    isSection(entry as v.GenericSchema)
      ? sectionSchema(entry as Section)
      : keySchema(usedKey(entry as v.GenericSchema)),
  ]);
  return {
    type: ['object', 'null'],
    additionalProperties: rest !== undefined,
    properties: Object.fromEntries([
      ...keys,
      ...Object.entries(named).map(([name, key]) => [name, foreignSchema(key)]),
    ]),
  };
}

function keySchema({ type, default: preset, meaning }: UsedKey): JsonSchema {
  return { description: meaning, ...(preset !== undefined && { default: preset }), ...orUnset(typeSchema(type)) };
}

function foreignSchema(key: ForeignKey): JsonSchema {
  switch (key.kind) {
    case 'ignored':
      return { description: `has no effect: ${key.why}`, deprecated: true };
    case 'refused':
      return { description: key.why, ...orUnset(typeSchema(key.type)) };
    case 'quiet':
      return {};
  }
}

/** The JSON Schema of a list or of a map with fields, with the keywords that a type has added. */
function typeSchema(type: Type): JsonSchema {
  const item = findItem(type);
  const fields = findFields(type);
  const forms = findForms(type);
  const value = findValue(type);
  return {
    ...(forms !== undefined && { anyOf: forms.map(typeSchema) }),
    ...(item !== undefined && { type: 'array', items: typeSchema(item) }),
    ...(value !== undefined && { type: 'object', additionalProperties: typeSchema(value) }),
    ...(fields !== undefined && {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, typeSchema(field)])),
      required: Object.keys(fields).filter((name) => !v.isOfType('optional', fields[name] as v.GenericSchema)),
    }),
    ...readAbout(type).json,
  };
}

function orUnset(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { $ref: '#/definitions/unset' }] };
}
