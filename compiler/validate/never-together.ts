import type { Overload } from '../../packages/cel/library/function.js';
import type { CelType } from '../../packages/cel/library/types.js';
import { operatorOverloads } from '../../packages/cel/check/operators.js';

/** Whether values of two certain types can never be equal (docs/spec/conditions.md#equality). */
export function neverEqual(a: CelType, b: CelType): boolean {
  if (isOpen(a) || isOpen(b) || hasOwnEquality(a) || hasOwnEquality(b)) return false;
  const kindsOfB = new Set(listKinds(b));
  return !listKinds(a).some((kind) => kindsOfB.has(kind));
}

/**
 * Whether an operator fails for all operands of certain types: none of its overloads accepts them
 * (docs/spec/policy-language.md#which-files-are-policies).
 */
export function neverApplies(operator: string, operands: readonly CelType[]): boolean {
  const overloads = operatorOverloads.get(operator) ?? [];
  return overloads.length > 0 && !overloads.some((overload) => mayTake(overload, operands));
}

/** A certain type in a message, in the terms of a policy author. */
export function describeType(type: CelType): string {
  const known = DESCRIPTIONS[type.kind];
  if (known !== undefined) return known;
  return type.kind === 'opaque' ? `a value of type ${type.name}` : 'a JSON value';
}

function mayTake({ parameters }: Overload, operands: readonly CelType[]): boolean {
  return (
    parameters.length === operands.length &&
    parameters.every((parameter, index) => mayBe(operands[index] as CelType, parameter))
  );
}

function mayBe(actual: CelType, parameter: CelType): boolean {
  if (isOpen(actual) || isOpen(parameter)) return true;
  if (actual.kind === 'dyn') return PLAIN_JSON.includes(parameter.kind);
  return actual.kind === parameter.kind && !('name' in actual && 'name' in parameter && actual.name !== parameter.name);
}

/** The types that plain JSON can have; its numbers are always doubles (docs/spec/conditions.md#kinds-of-values). */
const PLAIN_JSON: readonly CelType['kind'][] = ['null', 'bool', 'double', 'string', 'list', 'map'];

/** Whether nothing is known about the values. */
function isOpen(type: CelType): boolean {
  return (type.kind === 'dyn' && !type.json) || type.kind === 'error' || type.kind === 'parameter';
}

/**
 * Messages equal maps by special rules, as do SPIFFE values and strings, and types compare by name: no warnings for
 * these.
 */
function hasOwnEquality(type: CelType): boolean {
  return (
    type.kind === 'message' ||
    type.kind === 'type' ||
    (type.kind === 'opaque' && type.name.startsWith('authz.lib.spiffe'))
  );
}

/** The kinds that a value may have, as equality distinguishes them: all numbers are one kind. */
function listKinds(type: CelType): readonly string[] {
  if (type.kind === 'dyn') return PLAIN_JSON.map(nameKind);
  return [type.kind === 'opaque' ? type.name : nameKind(type.kind)];
}

function nameKind(kind: CelType['kind']): string {
  return kind === 'int' || kind === 'uint' || kind === 'double' ? 'number' : kind;
}

const DESCRIPTIONS: { readonly [kind in CelType['kind']]?: string } = {
  bool: 'a boolean',
  int: 'an int',
  uint: 'a uint',
  double: 'a double',
  string: 'a string',
  bytes: 'bytes',
  null: 'null',
  timestamp: 'a timestamp',
  duration: 'a duration',
  list: 'a list',
  map: 'a map',
  optional: 'an optional',
  type: 'a type',
  message: 'a message',
};
