import { DOCUMENT } from '../compiler/parse/schema/tables.js';
import { AUX_DATA_FIXTURES, PRINCIPAL_FIXTURES, RESOURCE_FIXTURES, SUITE } from '../packages/policy-tests/schema.js';
import { TABLES } from '../compiler/tables/schema.js';
import { documentSchema, type JsonSchema } from './document-schema.js';

/**
 * The JSON Schema of each type of file that people write, by its path in the repository and in the package. That of the
 * configuration is docs/config.schema.json.
 */
function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  return new Map([
    ['packages/editor/schemas/policy.schema.json', documentSchema(DOCUMENT, 'Policy of authz')],
    ['packages/editor/schemas/test-suite.schema.json', documentSchema(SUITE, 'Test suite of authz')],
    [
      'packages/editor/schemas/principals.schema.json',
      documentSchema(PRINCIPAL_FIXTURES, 'Principals for test suites of authz'),
    ],
    [
      'packages/editor/schemas/resources.schema.json',
      documentSchema(RESOURCE_FIXTURES, 'Resources for test suites of authz'),
    ],
    ['packages/editor/schemas/tables.schema.json', documentSchema(TABLES, 'Tables of resources for authz')],
    [
      'packages/editor/schemas/aux-data.schema.json',
      documentSchema(AUX_DATA_FIXTURES, 'Auxiliary data for test suites of authz'),
    ],
  ]);
}

/** The files, as text. */
export function jsonSchemaFiles(): ReadonlyMap<string, string> {
  return new Map([...jsonSchemas()].map(([path, schema]) => [path, `${JSON.stringify(schema, undefined, 2)}\n`]));
}
