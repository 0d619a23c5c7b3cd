import * as cel from '../../packages/cel/runtime/index.js';
import { call, typeName } from '../residual/call.js';
import { anyOf } from '../residual/condition.js';
import { and } from '../residual/logic.js';
import { type Condition, kept, type Node, type Sort, type Term, Unknown } from '../residual/term.js';
import type { TypeName } from '../../packages/json-schema/json.js';
import { findFacts, type JsonType } from './facts.js';
import { negated, test } from './logic.js';
import type { Asked } from './schema.js';

/** Where a value has a type. */
export function isOfType(
  value: Term,
  type: TypeName,
  { type: asked, facts, isPositive }: Pick<Asked, 'type' | 'facts' | 'isPositive'>,
): Condition {
  if (asked !== undefined)
    return (
      asked === type ||
      (type === 'number' && asked === 'integer') ||
      (type === 'integer' && asked === 'number' && test(isWhole(value)))
    );
  const known = findFacts(facts, value);
  if (known !== undefined) {
    const outcomes = known.types.map((one) => one === toJsonType(type));
    if (outcomes.every((outcome) => !outcome)) return false;
    if (outcomes.every((outcome) => outcome) && type !== 'integer') return true;
    if (type === 'integer' && known.values?.every((one) => Number.isInteger(one)) === true) return true;
  }
  return test(TESTS[type](value, isPositive));
}

/** A condition for values of one type; its result for others does not matter. */
export function ofType(type: TypeName, value: Term, asked: Asked, condition: () => Condition): Condition {
  const has = isOfType(value, type, asked);
  return has === false ? true : anyOf(negated(has), condition());
}

/** The CEL type of values of a JSON Schema type. */
export function toJsonType(type: TypeName): JsonType {
  return type === 'integer' ? 'number' : type;
}

/**
 * Type tests of CEL: `type(x) == string`. In the shapes of the reference they are comparisons, as its adapters do not
 * support `type`: a comparison with a value of another type fails, so only where a test may fail instead of being
 * false.
 */
const TESTS: { readonly [type in TypeName]: (value: Term, mayFail: boolean) => Term } = {
  string: (value, mayFail) => isCelType(value, 'string', mayFail && call('ge', cel.atLeast, value, '')),
  boolean: (value) => isCelType(value, 'bool', call('in', cel.inCollection, value, [true, false])),
  number: (value, mayFail) =>
    isCelType(
      value,
      'double',
      mayFail && kept('or', [call('lt', cel.lessThan, value, 0), call('ge', cel.atLeast, value, 0)]),
    ),
  integer: (value, mayFail) => (mayFail ? isWhole(value) : and(isCelType(value, 'double'), isWhole(value))),
  null: (value) => call('eq', cel.equals, value, null),
  array: (value) => isCelType(value, 'list'),
  object: (value) => isCelType(value, 'map'),
};

function isCelType(value: Term, type: string, reference: Term = false): Term {
  const { node } = call('eq', cel.equals, call('type', cel.typeOf, value), typeName(type)) as Unknown;
  return new Unknown(node, 'bool', reference instanceof Unknown ? reference.node : undefined);
}

/** `x - math.floor(x) == 0`: false for infinity, which is not an integer. */
function isWhole(value: Term): Term {
  const fraction = function_(
    'sub',
    cel.subtract,
    'double',
    value,
    function_('math.floor', cel.mathFloor, 'double', value),
  );
  return function_('eq', cel.equals, 'bool', fraction, 0);
}

/** A call that is not simplified: the value is a number wherever it matters. */
function function_(
  operator: string,
  run: NonNullable<(Node & { kind: 'call' })['run']>,
  sort: Sort,
  ...operands: readonly Term[]
): Unknown {
  return new Unknown({ kind: 'call', operator, operands, run }, sort);
}
