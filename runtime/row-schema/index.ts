/**
 * JSON schemas that can be planned (docs/spec/plans.md#schemas-in-plans): the functions that generated schema modules
 * call if the bundle has a planner. Each keyword validates as that of `packages/json-schema` does, and also returns the
 * condition of the rows that satisfy it.
 */
export { rowsThatSatisfy, type Schema } from './schema.js';
export { decimal } from '../../packages/json-schema/index.js';

// Schemas.
export { anything, anyType, dynamicRef, inScope, nothing, ref, type, unevaluated } from './schema-object.js';

// Keywords.
export { allOf, anyOf, ifThen, not, oneOf } from './combinations.js';
export {
  content,
  exclusiveMaximum,
  exclusiveMinimum,
  format,
  is,
  isIn,
  maximum,
  maxLength,
  minimum,
  minLength,
  multipleOf,
  pattern,
} from './scalars.js';
export {
  dependentRequired,
  dependentSchemas,
  maxProperties,
  members,
  minProperties,
  properties,
  propertyNames,
  required,
} from './objects.js';
export { contains, items, maxItems, minItems, tuple, uniqueItems } from './arrays.js';

// Formats, and the engines of patterns that are not matched natively.
export * from '../../packages/json-schema/formats/index.js';
export { AUTOMATON } from '../../packages/cel/runtime/matches.js';
export { RE2 } from '../../packages/cel/runtime/regexp.js';
