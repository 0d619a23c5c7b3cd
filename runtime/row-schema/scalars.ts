import * as cel from '../../packages/cel/runtime/index.js';
import type { PatternEngine } from '../../packages/cel/runtime/matches.js';
import { call } from '../residual/call.js';
import { allOf } from '../residual/condition.js';
import type { Condition, Term } from '../residual/term.js';
import { Decimal } from '../../packages/json-schema/decimal.js';
import type { Stated } from '../../packages/json-schema/equality.js';
import * as validator from '../../packages/json-schema/index.js';
import { type TypeName, findType } from '../../packages/json-schema/json.js';
import { test, unsayable } from './logic.js';
import { type Asked, plannable, type Schema } from './schema.js';
import { isOfType, ofType } from './types.js';

/** `enum`. */
export function isIn(...stated: readonly Stated[]): Schema {
  return plannable(validator.isIn(...stated), (value, asked) => isOneOf(value, stated, asked));
}

/** `const`. */
export function is(stated: Stated): Schema {
  return plannable(validator.is(stated), (value, asked) => isOneOf(value, [stated], asked));
}

function isOneOf(value: Term, stated: readonly Stated[], { type }: Asked): Condition {
  const constants = stated
    .map(toConstant)
    .filter((constant) => constant !== undefined && (type === undefined || isOfTypeOrLess(constant, type)));
  if (constants.length === 0) return false;
  if (constants.length === 1) return test(call('eq', cel.equals, value, constants[0] as Term));
  return test(call('in', cel.inCollection, value, constants as unknown as Term));
}

function isOfTypeOrLess(constant: unknown, type: TypeName): boolean {
  return type === 'integer' ? Number.isInteger(constant) : findType(constant) === type;
}

/** Converts to JSON; undefined if the number is not exactly a double. */
function toConstant(stated: Stated): unknown {
  if (stated instanceof Decimal) return stated.equals(stated.number) ? stated.number : undefined;
  if (Array.isArray(stated)) {
    const items = stated.map(toConstant);
    return items.includes(undefined) ? undefined : items;
  }
  if (typeof stated !== 'object' || stated === null) return stated;
  const members = Object.entries(stated).map(([name, member]) => [name, toConstant(member as Stated)] as const);
  return members.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(members);
}

/** `minimum`. */
export function minimum(limit: number | Decimal): Schema {
  return plannable(validator.minimum(limit), bounded(limit, 'ge'));
}

/** `exclusiveMinimum`. */
export function exclusiveMinimum(limit: number | Decimal): Schema {
  return plannable(validator.exclusiveMinimum(limit), bounded(limit, 'gt'));
}

/** `maximum`. */
export function maximum(limit: number | Decimal): Schema {
  return plannable(validator.maximum(limit), bounded(limit, 'le'));
}

/** `exclusiveMaximum`. */
export function exclusiveMaximum(limit: number | Decimal): Schema {
  return plannable(validator.exclusiveMaximum(limit), bounded(limit, 'lt'));
}

type Order = 'ge' | 'gt' | 'le' | 'lt';

const RUNS = { ge: cel.atLeast, gt: cel.greaterThan, le: cel.atMost, lt: cel.lessThan };

/** The nearest double of a limit that is not a double is on one side of it. */
function bounded(limit: number | Decimal, order: Order): Schema['where'] {
  const [nearest, operator] = typeof limit === 'number' ? [limit, order] : [limit.number, aroundNearest(limit, order)];
  return (value, asked) =>
    ofType('number', value, asked, () => {
      if (!Number.isFinite(nearest)) return unsayable('a limit of a schema that is not a double');
      return test(call(operator, RUNS[operator], value, nearest));
    });
}

function aroundNearest(limit: Decimal, order: Order): Order {
  const side = new Decimal(String(limit.number)).compare(limit);
  if (side === 0) return order;
  const isLower = order === 'ge' || order === 'gt';
  return side > 0 ? (isLower ? 'ge' : 'lt') : isLower ? 'gt' : 'le';
}

/** `multipleOf`: only of 1, as other divisions are not exact in decimal digits. */
export function multipleOf(divisor: number | Decimal): Schema {
  return plannable(validator.multipleOf(divisor), (value, asked) => {
    return ofType('number', value, asked, () =>
      divisor === 1
        ? isOfType(value, 'integer', { ...asked, type: undefined })
        : unsayable('the schema keyword multipleOf'),
    );
  });
}

/** `minLength`. */
export function minLength(least: number): Schema {
  return plannable(validator.minLength(least), (value, asked) =>
    ofType('string', value, asked, () => sizeIs('ge', value, least)),
  );
}

/** `maxLength`. */
export function maxLength(most: number): Schema {
  return plannable(validator.maxLength(most), (value, asked) =>
    ofType('string', value, asked, () => sizeIs('le', value, most)),
  );
}

/** Whether a string, a list or a map has a length. */
export function sizeIs(order: 'ge' | 'le', value: Term, limit: number): Condition {
  if (order === 'ge' && limit <= 0) return true;
  if (limit > Number.MAX_SAFE_INTEGER) return order === 'le';
  return test(call(order, RUNS[order], call('size', cel.size, value), BigInt(limit)));
}

/** `pattern`: the expressions of CEL and of schemas are the same. */
export function pattern(source: string, engine?: PatternEngine): Schema {
  return plannable(validator.pattern(source, engine), (value, asked) =>
    ofType('string', value, asked, () => matches(value, source, engine)),
  );
}

/** Whether a string has a match of a pattern. */
export function matches(text: Term, pattern: string, engine: PatternEngine | undefined): Condition {
  return test(call('matches', engine?.matches ?? cel.matchesLiteral, text, pattern));
}

/**
 * `format`: `date-time` is what `timestamp(...)` parses, except leap seconds and the year 0; others are unplannable.
 */
export function format(name: string, isFormat: validator.Format): Schema {
  return plannable(validator.format(name, isFormat), (value, asked) =>
    ofType('string', value, asked, () =>
      name === 'date-time' && asked.isPositive ? isTimestamp(value) : unsayable(`the format ${name}`),
    ),
  );
}

function isTimestamp(value: Term): Condition {
  const read = call('timestamp', cel.toTimestamp, value);
  return test(call('eq', cel.equals, read, read));
}

/** `contentEncoding`, `contentMediaType` and `contentSchema`. */
export function content(said: Parameters<typeof validator.content>[0]): Schema {
  return plannable(validator.content(said), (value, asked) =>
    ofType('string', value, asked, () => allOf(unsayable(`the schema keyword ${Object.keys(said)[0]}`))),
  );
}
