/**
 * CEL at run time (docs/spec/conditions.md#variables-in-scope): values, operators, macros and functions. Total: nothing
 * here throws, failures are values.
 */
export {
  CelError,
  Duration,
  isFailure,
  type JsonMap,
  Message,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  ValueMap,
} from './values.js';
export { type Kind, kindOf } from './kinds.js';
export { implementationNameOf, typeNameOf, typeValue } from './type-names.js';
export { undefinedField } from './failures.js';
export { isPlainObject, json, NotJsonError, OBSERVED, object, plainAttributes } from './plain-json.js';
export {
  AUTOMATON,
  type LiteralPattern,
  literalPattern,
  matchesLiteral,
  matchesPattern,
  patternsFailedOnHost,
} from './matches.js';
export { costOfPattern, isTooLarge, MAX_INSTRUCTIONS } from './pattern-cost.js';
export { engineOf, matches, RE2 } from './regexp.js';
export { codePointCount, codePointsOf, compareCodePoints } from './code-points.js';
export { doubleText } from './numbers.js';

// Conditions that only ask whether something holds: booleans, true when it was evaluated and is so.
export { differs, isEqual } from './equality.js';
export {
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  notGreater,
  notGreaterOrEqual,
  notLess,
  notLessOrEqual,
} from './ordering.js';
export { isIn, isNoneOf, isNotIn, isOneOf, isStringIn } from './membership.js';
export { field } from './selection.js';
export { everyElement, everyEntry, someElement, someEntry } from './quantifiers.js';

// Operators with the texts of their failures.
export { equals, notEquals } from './equality.js';
export { atLeast, atMost, greaterThan, lessThan } from './ordering.js';
export { inCollection } from './membership.js';
export { and, conditional, not, or } from './logic.js';
export { add, divide, modulo, multiply, negate, subtract } from './arithmetic.js';
export { has, index, optionalIndex, optionalSelect, select } from './selection.js';
export { listOf, listOfOptionals } from './lists.js';
export { mapOf, mapOfOptionals } from './maps.js';

// Macros.
export { all, all2, exists, exists2, existsOne, existsOne2 } from './quantifiers.js';
export * from './comprehensions.js';

// Functions.
export * from './conversions.js';
export {
  charAt,
  contains,
  endsWith,
  indexOf,
  join,
  lastIndexOf,
  lowerAscii,
  replace,
  reverse,
  split,
  startsWith,
  stringsQuote,
  substring,
  trim,
  upperAscii,
} from './strings.js';
export * from './encoders.js';
export * from './math.js';
export { distinct, first, flatten, last, listsRange, slice, sort } from './lists.js';
export * from './sets.js';
export {
  optFlatMap,
  optionalHasValue,
  optionalNone,
  optionalOf,
  optionalOfNonZeroValue,
  optionalOr,
  optionalOrValue,
  optionalUnwrap,
  optionalValue,
  optMap,
  unwrapOpt,
} from './optionals.js';

// Extensions: string formatting, regular expressions, networks, hierarchies, paths and SPIFFE.
export { format } from './format.js';
export * from './regex.js';
export { CidrValue, cidrText, IpValue, ipText } from './ip-address.js';
export * from './network.js';
export * from './hierarchy.js';
export {
  basePath,
  dirPath,
  extPath,
  joinPath,
  pathHasPrefix,
  pathMatch,
  pathMatchAnyOf,
  relPath,
  volumeName,
} from './paths.js';
export * from './spiffe.js';

// Time.
export * from './timestamp.js';
export * from './duration.js';
export * from './time-arithmetic.js';
export * from './time-accessors.js';

// The request as messages, variables, and what leaves an evaluation.
export * from './messages.js';
export type { Json, JsonObject } from './json.js';
export { type OutputValue, stored, toOutput } from './output.js';

// What evaluating conditions costs.
export {
  beginLimit,
  charge,
  chargeMemory,
  DEFAULT_COST,
  DEFAULT_MEMORY,
  EvaluationLimitError,
  endLimit,
  MAX_DEPTH,
  renewMemory,
  stepsLeft,
  tooDeep,
} from './meter.js';

// What emitted conditions and variables are made of.
export {
  allOf,
  anyOf,
  bind,
  bound,
  type Failures,
  noneOf,
  orNull,
  part,
  variable,
  verdict,
  verdictUnless,
} from './conditions.js';
