import { charge } from './meter.js';
import { isList, type Kind, kindOf } from './kinds.js';
import type { Result, Value } from './values.js';

/**
 * Whether a value passes as a `list(string)` argument: the run-time guard looks at the first element only
 * (docs/spec/conditions.md#error-classes).
 */
export function passesAsStrings(value: Result): value is readonly Value[] {
  return isList(value) && (value.length === 0 || typeof value[0] === 'string');
}

/** The first element that is not a string; undefined when all are. */
export function firstNonString(list: readonly Value[]): Value | undefined {
  charge(list.length);
  return list.find((element) => typeof element !== 'string');
}

/**
 * What the reference says when it cannot make a string of a value that should be one
 * (docs/spec/conditions.md#hierarchy-functions, docs/spec/conditions.md#output-conversion).
 */
export function notAString(value: Value): string {
  const kind = kindOf(value);
  switch (kind) {
    case 'int':
    case 'uint':
      return `unsupported type conversion from '${kind}' to string`;
    case 'type':
      return "type conversion not supported for 'type'";
    default:
      return `type conversion error from ${SOURCES[kind] ?? kind} to 'string'`;
  }
}

/** How the reference spells the kinds whose spelling differs. */
const SOURCES: { readonly [kind in Kind]?: string } = {
  null: "'null_type'",
  double: 'Double',
  bytes: 'Bytes',
  timestamp: "'Timestamp'",
  duration: "'Duration'",
};
