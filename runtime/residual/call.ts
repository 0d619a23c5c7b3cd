import * as cel from '../../packages/cel/runtime/index.js';
import { conditional } from './logic.js';
import { ARITHMETIC, misread, sortOfTerm } from './numbers.js';
import {
  type CelFunction,
  failed,
  isKnown,
  matchOperands,
  getResult,
  type Sort,
  type Term,
  Unknown,
  unplannable,
} from './term.js';

/**
 * A function of packages/cel/runtime over terms: called if all operands are known, kept as a call otherwise. It fails if an
 * operand fails, or if no value of the operand's type has an overload.
 * @param operator its name on the wire (docs/spec/plans.md#operator-names).
 */
export function call(operator: string, run: (...args: never[]) => cel.Result, ...operands: readonly Term[]): Term {
  if (run === cel.optionalOrValue || run === cel.optionalOr) return alternative(run, operands as readonly [Term, Term]);
  let known = true;
  for (const operand of operands) {
    if (failed(operand)) return operand;
    known &&= isKnown(operand);
  }
  if (known) {
    const result = (run as (...args: readonly cel.Result[]) => cel.Result)(...operands.map(getResult));
    return isKeptAsCall(result)
      ? new Unknown({ kind: 'call', operator, operands, run }, 'other', undefined, result)
      : result;
  }
  const special = ofSpecial(operator, operands);
  if (special !== undefined) return special;
  if (run === cel.optionalHasValue || run === cel.optionalValue) return unplannable('an optional');
  const lifted = liftFailure(operator, run, operands);
  if (lifted !== undefined) return lifted;
  if (hasNoOverload(operator, operands)) return cel.add(1, 1n);
  const read = operator === 'ip' ? ambiguousIp(run, operands) : misread(operator, operands);
  if (read !== undefined) return typeof read === 'string' ? unplannable(read) : read;
  return new Unknown({ kind: 'call', operator, operands, run }, inferSort(operator, operands));
}

/**
 * A comparison of an attribute with another one or with a scalar; undefined if it is none. Nothing of it is known, fails or
 * cannot be sent over the wire, so none of that is asked.
 */
export function compareAttribute(operator: string, run: CelFunction, a: Term, b: Term): Unknown | undefined {
  if (!(isAttribute(a) ? isAttribute(b) || isScalar(b) : isScalar(a) && isAttribute(b))) return undefined;
  const comparison = new Unknown({ kind: 'call', operator, operands: [a, b], run }, 'bool');
  comparison.isClean = true;
  return comparison;
}

function isAttribute(term: Term): boolean {
  return term instanceof Unknown && term.node.kind === 'path' && term.constant === undefined;
}

/** A string, a boolean or a double that JSON has. */
function isScalar(term: Term): boolean {
  return typeof term === 'string' || typeof term === 'boolean' || Number.isFinite(term);
}

/** A list literal. */
export function list(...elements: readonly Term[]): Term {
  return call('list', listOf, ...elements);
}

/** One function for all list literals: terms are equal if they call the same one. */
function listOf(...elements: readonly cel.Result[]): cel.Result {
  return cel.listOf(elements);
}

/** A map literal. */
export function struct(...entries: readonly (readonly [key: Term, value: Term])[]): Term {
  if (entries.every(([key, value]) => isKnown(key) && isKnown(value))) {
    return cel.mapOf(entries.map(([key, value]) => [getResult(key), getResult(value)]));
  }
  for (const entry of entries) for (const part of entry) if (failed(part)) return part;
  return new Unknown({ kind: 'struct', entries }, 'other');
}

/** A type's name as a value: `int`. */
export function typeName(name: string): Term {
  return new Unknown({ kind: 'path', root: name, fields: [] }, 'other', undefined, cel.typeValue(name));
}

/** The value that a variable keeps (docs/spec/conditions.md#stored-values). */
export function stored(term: Term): Term {
  if (isKnown(term)) return cel.stored(getResult(term));
  const { node } = term as Unknown;
  if (node.kind === 'optional') return conditional(node.present, stored(node.value), null);
  const [condition, whenTrue, whenFalse] = matchOperands(term, 'if') ?? [];
  if (condition !== undefined) return conditional(condition, stored(whenTrue), stored(whenFalse));
  return mentionsWrapper(term) ? unplannable('a value that a variable does not keep') : term;
}

/** Functions whose values lose their type in a variable. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'hierarchy',
  'type',
  'ip',
  'cidr',
  'spiffeID',
  'spiffeTrustDomain',
  'spiffeMatchAny',
  'spiffeMatchExact',
  'spiffeMatchOneOf',
  'spiffeMatchTrustDomain',
  'trustDomain',
  'optional.of',
  'optional.ofNonZeroValue',
  'first',
  'last',
  'regex.extract',
]);

function mentionsWrapper(term: Term): boolean {
  if (!(term instanceof Unknown)) return isWrapped(term);
  if (term.constant !== undefined) return isWrapped(term.constant);
  const { node } = term;
  if (node.kind === 'call') return WRAPPERS.has(node.operator) || node.operands.some(mentionsWrapper);
  if (node.kind === 'struct') return node.entries.flat().some(mentionsWrapper);
  if (node.kind === 'field') return mentionsWrapper(node.operand);
  return node.kind === 'macro' && [node.range, ...node.bodies].some(mentionsWrapper);
}

function isWrapped(value: cel.Result): boolean {
  return value instanceof cel.Opaque || value instanceof cel.TypeValue || value instanceof cel.Optional;
}

/** Values that are represented by their call on the wire (docs/spec/plans.md#folding). */
function isKeptAsCall(result: cel.Result): result is cel.Value {
  return result instanceof cel.Opaque || result instanceof cel.TypeValue;
}

function ofSpecial(operator: string, operands: readonly Term[]): Term | undefined {
  for (const operand of operands) {
    if (!(operand instanceof Unknown)) continue;
    const { node } = operand;
    if (node.kind === 'unplannable') return operand;
    if (node.kind === 'roles') return unplannable('the list of derived roles');
    if (node.kind === 'optional')
      return operand === operands[0] ? ofOptional(operator, node.present, node.value) : unplannable('an optional');
  }
  return undefined;
}

/** `o.orValue(x)` and `o.or(x)`: an alternative that is not used does not matter, even if it failed. */
function alternative(run: unknown, [optional, other]: readonly [Term, Term]): Term {
  if (failed(optional)) return optional;
  if (isKnown(optional)) {
    const known = getResult(optional);
    if (!(known instanceof cel.Optional)) return cel.optionalOrValue(known, null);
    if (known.value === undefined) return other;
    return run === cel.optionalOr ? optional : known.value;
  }
  const { node } = optional as Unknown;
  if (node.kind === 'optional' && run === cel.optionalOrValue) return conditional(node.present, node.value, other);
  return node.kind === 'unplannable' ? optional : unplannable('an optional');
}

function ofOptional(operator: string, present: Term, value: Term): Term {
  switch (operator) {
    case 'hasValue':
      return present;
    case 'value':
      return conditional(present, value, cel.select({}, 'value'));
    default:
      return unplannable('an optional');
  }
}

/**
 * `f(c ? FAILURE : v)` is `c ? FAILURE : f(v)`: this moves failures to where logical operators can see them
 * (docs/spec/plans.md#d-13-errors-beside-unknowns).
 */
function liftFailure(
  operator: string,
  run: (...args: never[]) => cel.Result,
  operands: readonly Term[],
): Term | undefined {
  for (let position = 0; position < operands.length; position++) {
    const parts = toChoice(operands[position]);
    if (parts === undefined) continue;
    const [condition, ...branches] = parts;
    if (!branches.some(failed)) continue;
    const [whenTrue, whenFalse] = branches.map((branch) =>
      failed(branch) ? branch : call(operator, run, ...operands.with(position, branch)),
    );
    return conditional(condition, whenTrue, whenFalse);
  }
  return undefined;
}

/** A term as a choice: `x || FAILURE` is `x ? true : FAILURE`. */
function toChoice(term: Term): readonly [Term, Term, Term] | undefined {
  if (!(term instanceof Unknown) || term.node.kind !== 'call') return undefined;
  const { operator, operands } = term.node;
  if (operator === 'if') return operands as readonly [Term, Term, Term];
  if ((operator !== 'and' && operator !== 'or') || !operands.some(failed)) return undefined;
  const failure = operands.find(failed);
  const other = operands.find((operand) => !failed(operand));
  return operator === 'or' ? [other, true, failure] : [other, failure, false];
}

/**
 * Attributes are doubles: with an int there is no overload, for any row
 * (docs/spec/plans.md#d-12-types-that-json-does-not-have).
 */
function hasNoOverload(operator: string, operands: readonly Term[]): boolean {
  if (!ARITHMETIC.has(operator)) return false;
  const sorts = operands.map(sortOfTerm);
  if (sorts.includes('key') && sorts.includes('double')) return true;
  return sorts.includes('int') && sorts.some((sort) => sort === 'double' || sort === 'json' || sort === 'string');
}

/**
 * One name for two functions: the address of a string, and that of a network. An attribute is never a network, and a
 * string is not one.
 */
function ambiguousIp(run: unknown, [operand]: readonly Term[]): string | cel.CelError | undefined {
  const isText = operand instanceof Unknown && (operand.sort === 'json' || operand.sort === 'string');
  if (run === cel.cidrIp) return isText ? (cel.cidrIp('') as cel.CelError) : undefined;
  return isText ? undefined : 'the address of what may be a network';
}

function inferSort(operator: string, operands: readonly Term[]): Sort {
  const known = SORTS[operator];
  if (known !== undefined) return known;
  if (!ARITHMETIC.has(operator)) return 'other';
  const sorts = operands.map(sortOfTerm);
  if (sorts.includes('int')) return 'int';
  if (sorts.includes('double')) return 'double';
  // Attributes that are not numbers can only be added: strings and lists.
  return sorts.every((sort) => sort === 'json') ? (operator === 'add' ? 'json' : 'double') : 'other';
}

const SORTS: { readonly [operator: string]: Sort | undefined } = {
  eq: 'bool',
  ne: 'bool',
  lt: 'bool',
  le: 'bool',
  gt: 'bool',
  ge: 'bool',
  in: 'bool',
  bool: 'bool',
  startsWith: 'bool',
  endsWith: 'bool',
  contains: 'bool',
  matches: 'bool',
  hasIntersection: 'bool',
  isSubset: 'bool',
  size: 'int',
  int: 'int',
  indexOf: 'int',
  lastIndexOf: 'int',
  double: 'double',
  string: 'string',
  getFullYear: 'int',
  getMonth: 'int',
  getDate: 'int',
  getDayOfMonth: 'int',
  getDayOfWeek: 'int',
  getDayOfYear: 'int',
  getHours: 'int',
  getMinutes: 'int',
  getSeconds: 'int',
  getMilliseconds: 'int',
};
