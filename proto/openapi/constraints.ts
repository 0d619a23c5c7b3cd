import type { DescField, DescMessage, DescOneof, FileRegistry } from '@bufbuild/protobuf';
import { readAnnotations, type FieldRules, type StringRules } from '../definitions/annotations.js';
import type { JsonObject } from '../wire/json-shape.js';

/** The annotated rules of the .proto files (protovalidate) as keywords of JSON Schema. */
export interface Constraints {
  readonly isRequired: (field: DescField) => boolean;
  readonly isRequiredOneof: (oneof: DescOneof) => boolean;
  /** Schema to be laid over that of the field's type. */
  readonly ofField: (field: DescField) => JsonObject;
  /** Constraints on the items of a list. */
  readonly ofItems: (field: DescField) => JsonObject;
  /** Constraints on the keys of a map. */
  readonly ofKeys: (field: DescField) => JsonObject;
  /** One schema a rule about the whole message. Throws for a rule that has none here. */
  readonly ofMessage: (message: DescMessage) => readonly JsonObject[];
}

/** The rules of a module that has them. Throws for a rule that would be left out. */
export function readConstraints(registry: FileRegistry): Constraints {
  const { ofField, isRequiredOneof, ofMessage } = readAnnotations(registry);
  return {
    isRequired: (field) => ofField(field).required === true,
    isRequiredOneof,
    ofField: (field) => fieldKeywords(field, ofField(field)),
    ofItems: (field) => stringKeywords(ofField(field).repeated?.items?.string ?? {}),
    ofKeys: (field) => stringKeywords(ofField(field).map?.keys?.string ?? {}),
    ofMessage: (message) => ofMessage(message).map(({ id }) => expressionSchema(id)),
  };
}

function fieldKeywords(field: DescField, rules: FieldRules): JsonObject {
  const { minItems, maxItems, unique } = rules.repeated ?? {};
  const { gte, lte } = rules.uint32 ?? {};
  return {
    ...(rules.required === true ? notEmpty(field) : {}),
    ...stringKeywords(rules.string ?? {}),
    ...(gte === undefined ? {} : { minimum: gte }),
    ...(lte === undefined ? {} : { maximum: lte }),
    ...(rules.enum?.in === undefined ? {} : { enum: listNames(field, rules.enum.in) }),
    ...(minItems === undefined ? {} : { minItems: Number(minItems) }),
    ...(maxItems === undefined ? {} : { maxItems: Number(maxItems) }),
    ...(unique === true ? { uniqueItems: true } : {}),
  };
}

/** "Required" means more than to be there: what is empty is absent. */
function notEmpty(field: DescField): JsonObject {
  switch (field.fieldKind) {
    case 'list':
      return { minItems: 1 };
    case 'map':
      return { minProperties: 1 };
    case 'scalar':
      return { minLength: 1 };
    case 'enum':
    case 'message':
      return {};
  }
}

function stringKeywords({ minLen, maxLen, pattern, in: words }: StringRules): JsonObject {
  return {
    ...(minLen === undefined ? {} : { minLength: Number(minLen) }),
    ...(maxLen === undefined ? {} : { maxLength: Number(maxLen) }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(words === undefined ? {} : { enum: words }),
  };
}

function listNames({ enum: desc }: DescField, numbers: readonly number[]): readonly string[] {
  return desc?.values.filter(({ number }) => numbers.includes(number)).map(({ name }) => name) ?? [];
}

function expressionSchema(id: string): JsonObject {
  const schema = EXPRESSIONS[id];
  if (schema === undefined)
    throw new Error(`no JSON schema says the rule ${id}; add it to proto/openapi/constraints.ts`);
  return schema;
}

/** The rules written in CEL, as a JSON schema can say them. */
const EXPRESSIONS: { readonly [id: string]: JsonObject } = {
  'AuxData.only_one_jwt_field': { not: { required: ['jwt', 'jwts'], properties: { jwts: { minProperties: 1 } } } },
  exclusiveFieldsActionOrActions: {
    oneOf: [
      { required: ['action'], properties: { action: { minLength: 1 } } },
      { required: ['actions'], properties: { actions: { minItems: 1 } } },
    ],
  },
  'AccessEvaluationBatchRequest.subject': givenSomewhere('subject'),
  'AccessEvaluationBatchRequest.resource': givenSomewhere('resource'),
  'AccessEvaluationBatchRequest.action': givenSomewhere('action'),
};

function givenSomewhere(part: string): JsonObject {
  return {
    anyOf: [
      { required: [part] },
      { properties: { evaluations: { maxItems: 0 } } },
      { properties: { evaluations: { contains: { required: [part] } } } },
    ],
  };
}
