/**
 * CEL at run time (docs/spec/conditions.md#variables-in-scope): values, operators, macros and functions. Total: nothing
 * here throws, failures are values.
 */
export * from './extensions.js';

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
export { patternsLeftToRe2 } from './known-patterns.js';
export { codePointCount, codePointsOf, compareText } from './code-points.js';
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
export { isIn, isNoneOf, isNotIn, isOneOf } from './membership.js';
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
export {
  filter,
  mapEach,
  mapWhere,
  sortBy,
  transformList,
  transformListWhere,
  transformMap,
  transformMapEntry,
  transformMapEntryWhere,
  transformMapWhere,
} from './comprehensions.js';

// Functions.
export { dynOf, identity, size, toBool, toBytes, toDouble, toInt, toText, toUint, typeOf } from './conversions.js';
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
export { base64Decode, base64Encode, jsonEncode } from './encoders.js';
export {
  mathAbs,
  mathBitAnd,
  mathBitNot,
  mathBitOr,
  mathBitShiftLeft,
  mathBitShiftRight,
  mathBitXor,
  mathCeil,
  mathFloor,
  mathGreatest,
  mathIsFinite,
  mathIsInf,
  mathIsNaN,
  mathLeast,
  mathRound,
  mathSign,
  mathSqrt,
  mathTrunc,
} from './math.js';
export { distinct, first, flatten, last, listsRange, slice, sort } from './lists.js';
export {
  except,
  exceptGlobal,
  hasIntersection,
  hasIntersectionGlobal,
  intersect,
  intersectGlobal,
  isSubset,
  isSubsetGlobal,
  setsContains,
  setsEquivalent,
  setsIntersects,
} from './sets.js';
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

// The request as messages, variables, and what leaves an evaluation.
export {
  auxDataMessage,
  effectiveDerivedRoles,
  jwtMessages,
  principalMessage,
  requestMessage,
  resourceMessage,
  runtimeMessage,
  variablesMessage,
} from './messages.js';
export { messageOf } from './well-known-messages.js';
export type { Json, JsonObject } from './json.js';
export { type OutputValue, stored, toOutput } from './output.js';

// What evaluating conditions costs.
export {
  beginLimit,
  charge,
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
export { bind, bound, orNull } from './bindings.js';
export { type Failures, part, variable } from './failures-told.js';
export { allOf, anyOf, noneOf, verdict, verdictUnless } from './verdict.js';
