import type { FileRegistry } from '@bufbuild/protobuf';
import { ERROR_SCHEMA, errorComponents } from './answers.js';
import { readConstraints } from './constraints.js';
import type { JsonObject } from '../wire/json-shape.js';
import type { Tag } from './operations.js';
import { otherPaths } from './other-paths.js';
import { rpcPaths } from './rpc-paths.js';
import { Schemas } from './schemas.js';

/**
 * The description of the REST interface (OpenAPI 3.1) that the .proto files give: their messages, the rules annotated
 * there as constraints, their comments as descriptions. What only a running server knows, its version and address, is
 * put in by it (docs/spec/server.md#openapi-and-explorer). Wants a registry built with source info.
 */
export function openApiDocument(registry: FileRegistry): JsonObject {
  const schemas = new Schemas(registry, readConstraints(registry));
  const paths = { ...rpcPaths(registry, schemas), ...otherPaths(schemas) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'authz',
      summary: 'Authorization decisions',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      version: '',
    },
    servers: [],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...schemas.sorted(), Error: ERROR_SCHEMA },
      responses: errorComponents(),
      parameters: {
        pretty: {
          name: 'pretty',
          in: 'query',
          description: 'The answer is indented, whatever the value.',
          allowEmptyValue: true,
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        admin: { type: 'http', scheme: 'basic', description: 'The credentials of `server.adminAPI`.' },
      },
    },
  };
}

const INTRODUCTION = [
  'Whether a principal may do actions on resources, decided by compiled policies.',
  'Fields have their names in lowerCamelCase; in requests those of protobuf, in snake_case, are read too. What a request holds beyond the fields listed here is refused.',
  'In answers, empty fields are left out. A wrong method on one of these paths is answered with 501.',
  'The examples are those of the policies that come with authz.',
].join('\n\n');

const TAGS: { readonly [tag in Tag]: string } = {
  Decisions: 'Checks and plans.',
  AuthZEN: 'Decisions in the terms of the OpenID AuthZEN authorization API.',
  Server: 'The state of the server.',
  Administration: 'For whoever runs the server; off by default.',
};
