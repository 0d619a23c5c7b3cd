/**
 * JSON schemas at run time (docs/spec/policy-language.md#schema-validation): the functions that generated schema
 * modules call, and those that apply them.
 */
export { type Schema, unavailable, violationsOf } from './run.js';
export { decimal } from './decimal.js';

// Schemas.
export { anything, anyType, dynamicRef, inScope, nothing, ref, type, unevaluated } from './schema-object.js';

// Keywords.
export { allOf, anyOf, ifThen, not, oneOf } from './combinations.js';
export { is, isIn } from './values.js';
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
export { format, maxLength, minLength, pattern } from './strings.js';
export { content } from './content.js';
export { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } from './numbers.js';

// Formats, and the engines of patterns that are not matched natively.
export * from './formats/index.js';
export { AUTOMATON } from '../cel/runtime/matches.js';
export { RE2 } from '../cel/runtime/regexp.js';
