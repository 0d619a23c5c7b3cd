import { sameTerm } from '../residual/alike.js';
import { Timestamp, Uint } from '../../packages/cel/runtime/index.js';
import { type Condition, isKnown, type Node, getResult, type Term, Unknown } from '../residual/term.js';

/** The types of JSON values in CEL. */
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

export type Scalar = string | number | boolean | null;

/** What is known of a value. */
export interface Facts {
  /** It has one of these types. */
  readonly types: readonly JsonType[];
  /** It is one of these values, if that is known. */
  readonly values: readonly Scalar[] | undefined;
}

/** What is known of a value where a condition holds: `x == "a"` only holds for a string. */
export function findFacts(condition: Condition, value: Term): Facts | undefined {
  if (typeof condition === 'boolean') return undefined;
  switch (condition.kind) {
    case 'is':
      return ofTerm(condition.term, value);
    case 'and':
      return strongest(condition.operands.map((operand) => findFacts(operand, value)));
    case 'or':
      return common(condition.operands.map((operand) => findFacts(operand, value)));
    case 'not':
    case 'unplannable':
      return undefined;
  }
}

function strongest(all: readonly (Facts | undefined)[]): Facts | undefined {
  return all.find((facts) => facts?.values !== undefined) ?? all.find((facts) => facts !== undefined);
}

function common(all: readonly (Facts | undefined)[]): Facts | undefined {
  const facts = all.filter((one) => one !== undefined);
  if (facts.length < all.length) return undefined;
  const isListed = facts.every(({ values }) => values !== undefined);
  return {
    types: [...new Set(facts.flatMap(({ types }) => types))],
    values: isListed ? facts.flatMap(({ values }) => values ?? []) : undefined,
  };
}

/** Where a term is true. */
function ofTerm(term: Unknown, value: Term): Facts | undefined {
  if (sameTerm(term, value)) return only(true);
  const { node } = term;
  if (node.kind !== 'call') return undefined;
  const { operator, operands } = node;
  const [first, second] = operands as [Term, Term];
  switch (operator) {
    case 'and':
      return strongest(operands.map((operand) => (operand instanceof Unknown ? ofTerm(operand, value) : undefined)));
    case 'or':
      return common(operands.map((operand) => (operand instanceof Unknown ? ofTerm(operand, value) : undefined)));
    case 'not':
      return sameTerm(first, value) ? only(false) : undefined;
    case 'eq':
      return sameTerm(first, value)
        ? ofEqual(second)
        : sameTerm(second, value)
          ? ofEqual(first)
          : ofFields(node, value);
    case 'in':
      if (sameTerm(first, value)) return ofElement(second);
      return sameTerm(second, value) ? { types: ['array', 'object'], values: undefined } : ofFields(node, value);
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return sameTerm(first, value)
        ? ofOrdered(second)
        : sameTerm(second, value)
          ? ofOrdered(first)
          : ofFields(node, value);
    case 'startsWith':
    case 'endsWith':
    case 'contains':
    case 'matches':
      return operands.some((operand) => sameTerm(operand, value))
        ? { types: ['string'], values: undefined }
        : ofFields(node, value);
    case 'ne':
      return ofFields(node, value);
    default:
      return undefined;
  }
}

function only(value: Scalar): Facts {
  return { types: [findType(value)], values: [value] };
}

function ofEqual(other: Term): Facts | undefined {
  const scalar = readScalar(other);
  return scalar === undefined ? undefined : only(scalar);
}

function ofElement(list: Term): Facts | undefined {
  const elements = isKnown(list) ? getResult(list) : undefined;
  const scalars = Array.isArray(elements) ? elements.map(readScalar) : [undefined];
  if (scalars.includes(undefined) || scalars.length === 0) return undefined;
  const values = scalars as readonly Scalar[];
  return { types: [...new Set(values.map(findType))], values };
}

function ofOrdered(other: Term): Facts | undefined {
  const scalar = readScalar(other);
  return scalar === undefined || scalar === null || other instanceof Timestamp
    ? undefined
    : { types: [findType(scalar)], values: undefined };
}

/** A value with a field is an object: where a test of a field is true, the field could be read. */
function ofFields({ operands }: Node & { kind: 'call' }, value: Term): Facts | undefined {
  return operands.some((operand) => isBelow(operand, value)) ? { types: ['object'], values: undefined } : undefined;
}

function isBelow(term: Term, value: Term): boolean {
  if (
    !(term instanceof Unknown) ||
    !(value instanceof Unknown) ||
    term.node.kind !== 'path' ||
    value.node.kind !== 'path'
  )
    return false;
  const { root, fields } = term.node;
  const above = value.node.fields;
  return (
    root === value.node.root &&
    fields.length > above.length &&
    above.every(({ name }, position) => fields[position]?.name === name)
  );
}

/** A constant as JSON; undefined for terms that are not constants, and for integers that are not exactly doubles. */
function readScalar(term: Term): Scalar | undefined {
  if (!isKnown(term)) return undefined;
  const value = getResult(term);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
  return integer !== undefined && BigInt(Number(integer)) === integer ? Number(integer) : undefined;
}

function findType(value: Scalar): JsonType {
  return value === null ? 'null' : (typeof value as 'string' | 'number' | 'boolean');
}
