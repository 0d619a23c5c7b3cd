import type { Attributes } from '../../../runtime/policy/index.js';
import type { SchemaAddress, SchemaModule } from '../../../compiler/ir/schema.js';
import * as schema from '../../json-schema/index.js';
import { schemaDefinitions } from '../program/schemas.js';

/** What known attributes violate of a schema of a program. */
export function findViolations(
  modules: readonly SchemaModule[],
  at: SchemaAddress,
  attributes: Attributes,
): ReturnType<ReturnType<typeof schema.violationsOf>> {
  return schema.violationsOf(schemaDefinitions(modules)(at))(attributes);
}
