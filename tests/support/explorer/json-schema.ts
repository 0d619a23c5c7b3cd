import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../proto/wire/json-shape.js';

/**
 * The violations of a schema, as `path: keyword`; empty for a valid value. Supports the keywords that the description
 * of the REST interface uses, and throws for others, so that none is ignored.
 */
export function problemsOf(value: Json, schema: JsonObject, document: JsonObject, path = '$'): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, argument]) => {
    if (SILENT.has(keyword)) return [];
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`no check for the keyword ${keyword}`);
    return check({ value, argument, schema, document, path }).map((problem) =>
      problem === '' ? `${path}: ${keyword}` : problem,
    );
  });
}

interface Asked {
  readonly value: Json;
  readonly argument: Json;
  readonly schema: JsonObject;
  readonly document: JsonObject;
  readonly path: string;
}

/** Returns problems inside the value, or an empty string for the value itself. */
type Check = (asked: Asked) => readonly string[];

const SILENT = new Set(['description', 'deprecated', 'examples', 'format', 'contentEncoding', 'definitions']);
const OK: readonly string[] = [];
const NO: readonly string[] = [''];

const KEYWORDS: { readonly [keyword: string]: Check } = {
  $ref: ({ value, argument, document, path }) => {
    const target = String(argument)
      .slice(2)
      .split('/')
      .reduce<Json>((node, step) => (node as JsonObject)[step] as Json, document);
    return problemsOf(value, target as JsonObject, document, path);
  },
  type: ({ value, argument }) => ([argument].flat().includes(typeOf(value)) ? OK : NO),
  enum: ({ value, argument }) =>
    (argument as readonly Json[]).some((item) => isDeepStrictEqual(item, value)) ? OK : NO,
  minimum: ({ value, argument }) => (typeof value !== 'number' || value >= Number(argument) ? OK : NO),
  maximum: ({ value, argument }) => (typeof value !== 'number' || value <= Number(argument) ? OK : NO),
  minLength: ({ value, argument }) => (typeof value !== 'string' || [...value].length >= Number(argument) ? OK : NO),
  maxLength: ({ value, argument }) => (typeof value !== 'string' || [...value].length <= Number(argument) ? OK : NO),
  pattern: ({ value, argument }) =>
    typeof value !== 'string' || new RegExp(String(argument), 'u').test(value) ? OK : NO,
  minItems: ({ value, argument }) => (!Array.isArray(value) || value.length >= Number(argument) ? OK : NO),
  maxItems: ({ value, argument }) => (!Array.isArray(value) || value.length <= Number(argument) ? OK : NO),
  uniqueItems: ({ value }) =>
    !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length ? OK : NO,
  items: ({ value, argument, document, path }) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => problemsOf(item, argument as JsonObject, document, `${path}[${index}]`))
      : OK,
  contains: ({ value, argument, document }) =>
    !Array.isArray(value) || value.some((item) => problemsOf(item, argument as JsonObject, document).length === 0)
      ? OK
      : NO,
  minProperties: ({ value, argument }) => (!isObject(value) || Object.keys(value).length >= Number(argument) ? OK : NO),
  maxProperties: ({ value, argument }) => (!isObject(value) || Object.keys(value).length <= Number(argument) ? OK : NO),
  required: ({ value, argument }) =>
    !isObject(value) || (argument as readonly string[]).every((name) => Object.hasOwn(value, name)) ? OK : NO,
  properties: ({ value, argument, document, path }) => {
    const schemas = argument as { readonly [name: string]: JsonObject };
    return isObject(value)
      ? Object.entries(value).flatMap(([name, item]) =>
          Object.hasOwn(schemas, name)
            ? problemsOf(item, schemas[name] as JsonObject, document, `${path}.${name}`)
            : OK,
        )
      : OK;
  },
  propertyNames: ({ value, argument, document }) =>
    isObject(value) ? Object.keys(value).flatMap((name) => problemsOf(name, argument as JsonObject, document)) : OK,
  additionalProperties: ({ value, argument, schema, document, path }) => {
    const others = isObject(value)
      ? Object.entries(value).filter(([name]) => !Object.hasOwn((schema['properties'] ?? {}) as object, name))
      : [];
    if (argument === false) return others.map(([name]) => `${path}.${name}: additionalProperties`);
    return others.flatMap(([name, item]) => problemsOf(item, argument as JsonObject, document, `${path}.${name}`));
  },
  allOf: ({ value, argument, document, path }) =>
    (argument as readonly JsonObject[]).flatMap((part) => problemsOf(value, part, document, path)),
  anyOf: ({ value, argument, document }) => (satisfied(value, argument, document) >= 1 ? OK : NO),
  oneOf: ({ value, argument, document }) => (satisfied(value, argument, document) === 1 ? OK : NO),
  not: ({ value, argument, document }) => (problemsOf(value, argument as JsonObject, document).length > 0 ? OK : NO),
};

function satisfied(value: Json, parts: Json, document: JsonObject): number {
  return (parts as readonly JsonObject[]).filter((part) => problemsOf(value, part, document).length === 0).length;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && Number.isInteger(value)) return 'integer';
  return typeof value;
}
