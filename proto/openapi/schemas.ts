import { type DescEnum, type DescField, type DescMessage, type FileRegistry, ScalarType } from '@bufbuild/protobuf';
import { readComment } from '../definitions/comments.js';
import type { Constraints } from './constraints.js';
import type { JsonObject } from '../wire/json-shape.js';

/** Which way a message goes: a request may hold nothing that the server does not know, an answer may. */
export type Direction = 'request' | 'response';

/** The schemas of messages, each once, by the name it has among the components of the document. */
export class Schemas {
  readonly #found = new Map<string, JsonObject>();

  constructor(
    readonly registry: FileRegistry,
    readonly constraints: Constraints,
  ) {}

  /** A reference to the schema of a message; the schema, and all it refers to, is made when it is new. */
  reference(typeName: string, direction: Direction): JsonObject {
    const message = this.registry.getMessage(typeName);
    if (message === undefined) throw new Error(`no message ${typeName}`);
    return this.#messageReference(message, direction);
  }

  /** The schema of a field that is a parameter of a query or path. */
  parameter(typeName: string, name: string): JsonObject {
    const field = this.registry.getMessage(typeName)?.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`no field ${name} in ${typeName}`);
    return { ...this.#typeOf(field, 'request'), ...this.constraints.ofField(field) };
  }

  /** All that were asked for, by name. */
  sorted(): JsonObject {
    return Object.fromEntries([...this.#found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #messageReference(message: DescMessage, direction: Direction): JsonObject {
    const wellKnown = WELL_KNOWN[message.typeName];
    if (wellKnown !== undefined) return wellKnown;
    const name = componentName(message);
    if (!this.#found.has(name)) {
      // Stands for itself while it is made: a message may contain itself.
      this.#found.set(name, {});
      this.#found.set(name, this.#schemaOf(message, direction));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #schemaOf(message: DescMessage, direction: Direction): JsonObject {
    const always =
      direction === 'request'
        ? message.fields.filter(this.constraints.isRequired).map(({ jsonName }) => jsonName)
        : (ALWAYS[message.typeName] ?? []);
    const rules = [
      ...this.constraints.ofMessage(message),
      ...(ONE_OF_ITS_FIELDS.has(message.typeName) ? [{ minProperties: 1, maxProperties: 1 }] : []),
    ];
    return {
      type: 'object',
      ...description(readComment(message)),
      properties: Object.fromEntries(message.fields.map((field) => [field.jsonName, this.#property(field, direction)])),
      ...(always.length === 0 ? {} : { required: always }),
      ...(direction === 'request' && !IS_AUTHZEN.test(message.typeName) ? { additionalProperties: false } : {}),
      ...(rules.length === 0 ? {} : rules.length === 1 ? rules[0] : { allOf: rules }),
    };
  }

  #property(field: DescField, direction: Direction): JsonObject {
    return {
      ...this.#typeOf(field, direction),
      ...this.constraints.ofField(field),
      ...description(readComment(field)),
      ...(field.proto.options?.deprecated === true ? { deprecated: true } : {}),
    };
  }

  #typeOf(field: DescField, direction: Direction): JsonObject {
    switch (field.fieldKind) {
      case 'scalar':
        return scalarSchema(field.scalar);
      case 'enum':
        return this.#enumReference(field.enum);
      case 'message':
        return this.#messageReference(field.message, direction);
      case 'list':
        return { type: 'array', items: { ...this.#elementOf(field, direction), ...this.constraints.ofItems(field) } };
      case 'map': {
        const keys = this.constraints.ofKeys(field);
        return {
          type: 'object',
          ...(Object.keys(keys).length === 0 ? {} : { propertyNames: keys }),
          additionalProperties: this.#elementOf(field, direction),
        };
      }
    }
  }

  #elementOf(field: DescField & { readonly fieldKind: 'list' | 'map' }, direction: Direction): JsonObject {
    if (field.message !== undefined) return this.#messageReference(field.message, direction);
    if (field.enum !== undefined) return this.#enumReference(field.enum);
    return scalarSchema(field.scalar as ScalarType);
  }

  #enumReference(desc: DescEnum): JsonObject {
    const name = componentName(desc);
    this.#found.set(name, {
      type: 'string',
      ...description(readComment(desc)),
      enum: desc.values.map((value) => value.name),
    });
    return { $ref: `#/components/schemas/${name}` };
  }
}

/**
 * `authz.response.v1.CheckResourcesResponse` is `authz.response.CheckResourcesResponse`: there is one version of each.
 */
function componentName({ typeName }: DescMessage | DescEnum): string {
  return typeName
    .split('.')
    .filter((word) => !/^v\d+$/.test(word))
    .join('.');
}

function description(text: string | undefined): JsonObject {
  return text === undefined ? {} : { description: text };
}

function scalarSchema(type: ScalarType): JsonObject {
  const schema = SCALARS.get(type);
  if (schema === undefined) throw new Error(`no JSON schema for the scalar type ${ScalarType[type]}`);
  return schema;
}

const SCALARS: ReadonlyMap<ScalarType, JsonObject> = new Map<ScalarType, JsonObject>([
  [ScalarType.STRING, { type: 'string' }],
  [ScalarType.BOOL, { type: 'boolean' }],
  [ScalarType.UINT32, { type: 'integer', minimum: 0 }],
  [ScalarType.UINT64, { type: 'string', format: 'uint64' }],
  [ScalarType.BYTES, { type: 'string', contentEncoding: 'base64' }],
]);

const WELL_KNOWN: { readonly [message: string]: JsonObject } = {
  'google.protobuf.Value': { description: 'Any JSON value.' },
  'google.protobuf.Struct': { type: 'object' },
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': { type: 'string', examples: ['90s', '1h30m'] },
};

/** Its clients may send more than a server knows. */
const IS_AUTHZEN = /^authzen\./;

/** Messages that are one oneof, which has to be set. */
const ONE_OF_ITS_FIELDS: ReadonlySet<string> = new Set([
  'authz.engine.v1.PlanResourcesFilter.Expression.Operand',
  'authz.engine.v1.EvaluationError',
  'authz.response.v1.ListAuditLogEntriesResponse',
]);

/**
 * The fields of answers that are never left out; all others are when they are empty
 * (docs/spec/server.md#response-fields, docs/spec/server.md#json-mapping).
 */
const ALWAYS: { readonly [message: string]: readonly string[] } = {
  'authz.response.v1.CheckResourcesResponse': ['results', 'authzCallId'],
  'authz.response.v1.CheckResourcesResponse.ResultEntry': ['resource', 'actions'],
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Resource': ['id', 'kind'],
  'authz.response.v1.PlanResourcesResponse': ['resourceKind', 'filter', 'authzCallId'],
  'authz.engine.v1.PlanResourcesFilter': ['kind'],
  'authz.response.v1.ServerInfoResponse': ['version', 'commit', 'buildDate'],
  'authz.response.v1.CheckResourceSetResponse': ['resourceInstances'],
  'authz.response.v1.CheckResourceSetResponse.ActionEffectMap': ['actions'],
  'authz.response.v1.CheckResourceBatchResponse': ['results'],
  'authz.response.v1.CheckResourceBatchResponse.ActionEffectMap': ['resourceId', 'actions'],
  'authzen.authorization.v1.AccessEvaluationResponse': ['decision'],
  'authzen.authorization.v1.ActionSearchResponse': ['results'],
  'authzen.authorization.v1.ActionSearchResponse.Page': ['next_token'],
  'authzen.authorization.v1.ResourceSearchResponse': ['results'],
  'authzen.authorization.v1.SubjectSearchResponse': ['results'],
  'authzen.authorization.v1.MetadataResponse': [
    'policy_decision_point',
    'access_evaluation_endpoint',
    'access_evaluations_endpoint',
    'search_action_endpoint',
  ],
};
