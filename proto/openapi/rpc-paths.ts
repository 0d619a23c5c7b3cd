import type { DescMethod, FileRegistry } from '@bufbuild/protobuf';
import { describeErrors, describeExamples, goodAnswer } from './answers.js';
import { readComment } from '../definitions/comments.js';
import type { JsonObject } from '../wire/json-shape.js';
import { type Operation, OPERATIONS } from './operations.js';
import type { Schemas } from './schemas.js';

/** The paths of the RPCs. */
export function rpcPaths(registry: FileRegistry, schemas: Schemas): JsonObject {
  return Object.fromEntries(
    OPERATIONS.map((operation) => [
      operation.path,
      { [operation.verb]: describeOperation(operation, registry, schemas) },
    ]),
  );
}

/** Every JSON answer can be had with indentation. */
export const PRETTY: JsonObject = { $ref: '#/components/parameters/pretty' };

function describeOperation(operation: Operation, registry: FileRegistry, schemas: Schemas): JsonObject {
  const method = registry.getService(operation.service)?.methods.find(({ name }) => name === operation.method);
  if (method === undefined) throw new Error(`no method ${operation.method}`);
  const answer = schemas.reference(method.output.typeName, 'response');
  return {
    tags: [operation.tag],
    operationId: operation.method,
    summary: operation.summary,
    ...describeMethod(method),
    ...(method.proto.options?.deprecated === true ? { deprecated: true } : {}),
    parameters: [PRETTY],
    ...(operation.verb === 'get'
      ? {}
      : { requestBody: requestBody(operation, schemas.reference(method.input.typeName, 'request')) }),
    responses: {
      200: goodAnswer('The answer.', answer, operation.examples),
      ...describeErrors(operation.verb === 'get' ? ['TooLate'] : ['BadRequest', 'TooLarge', 'TooLate']),
    },
  };
}

/** The comment, without the sentence that says the path. */
function describeMethod(method: DescMethod): JsonObject {
  const text = readComment(method)?.replace(/\s*REST: [A-Z]+ \S+$/, '');
  return text === undefined || text === '' ? {} : { description: text };
}

function requestBody({ examples }: Operation, schema: JsonObject): JsonObject {
  const values = examples.flatMap(({ name, summary, request }) =>
    request === undefined ? [] : [{ name, summary, value: request }],
  );
  return { required: true, content: { 'application/json': { schema, examples: describeExamples(values) } } };
}
