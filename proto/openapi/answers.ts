import {
  ADMIN_OFF,
  BAD_REQUESTS,
  type ErrorExample,
  STOPPING,
  TOO_LARGE,
  TOO_LATE,
  UNAUTHENTICATED,
  UNKNOWN_SERVICE,
} from './examples/errors.js';
import type { Example } from './examples/example.js';
import type { Json, JsonObject } from '../wire/json-shape.js';

/** The errors that operations refer to by name. */
export type ErrorName = keyof typeof ERRORS;

/** References to errors, by their statuses. */
export function describeErrors(names: readonly ErrorName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [ERRORS[name].status, { $ref: `#/components/responses/${name}` }]));
}

/** The errors as components of the document. */
export function errorComponents(): JsonObject {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([name, { description, examples }]) => [
      name,
      {
        description,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: describeExamples(examples.map(({ body, ...rest }) => ({ ...rest, value: body }))),
          },
        },
      },
    ]),
  );
}

/** The schema of every error. */
export const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'A status code of gRPC.' },
    message: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: { '@type': { type: 'string' } },
        required: ['@type'],
        additionalProperties: true,
      },
    },
  },
  required: ['code', 'message'],
};

/** The answer of a call that went well. */
export function goodAnswer(
  description: string,
  schema: JsonObject,
  examples: readonly Example[],
  mediaType = 'application/json',
): JsonObject {
  const values = examples.map(({ name, summary, response }) => ({ name, summary, value: response }));
  return { description, content: { [mediaType]: { schema, examples: describeExamples(values) } } };
}

/** Examples by name, as the document has them. */
export function describeExamples(
  examples: readonly { readonly name: string; readonly summary: string; readonly value: Json }[],
): JsonObject {
  return Object.fromEntries(examples.map(({ name, summary, value }) => [name, { summary, value }]));
}

const ERRORS = {
  BadRequest: {
    status: '400',
    description: 'The request is not well formed, breaks a rule, or asks for too much at once.',
    examples: BAD_REQUESTS,
  },
  Unauthenticated: { status: '401', description: 'The credentials are missing or wrong.', examples: UNAUTHENTICATED },
  UnknownService: { status: '404', description: 'There is no such service.', examples: UNKNOWN_SERVICE },
  AdminOff: { status: '404', description: 'The admin API is off.', examples: ADMIN_OFF },
  TooLarge: {
    status: '429',
    description: 'The message is too large, measured on its protobuf encoding.',
    examples: TOO_LARGE,
  },
  Stopping: { status: '503', description: 'The server is about to stop.', examples: STOPPING },
  TooLate: { status: '504', description: 'The time that the caller gave has passed.', examples: TOO_LATE },
} as const satisfies {
  readonly [name: string]: {
    readonly status: string;
    readonly description: string;
    readonly examples: readonly ErrorExample[];
  };
};
