import { Decimal } from './decimal.js';
import type { Schema } from './run.js';
import { numberText } from './text.js';

/** `minimum`. */
export function minimum(limit: number | Decimal): Schema {
  return bound(limit, 'must be >=', (order) => order >= 0);
}

/** `exclusiveMinimum`. */
export function exclusiveMinimum(limit: number | Decimal): Schema {
  return bound(limit, 'must be >', (order) => order > 0);
}

/** `maximum`. */
export function maximum(limit: number | Decimal): Schema {
  return bound(limit, 'must be <=', (order) => order <= 0);
}

/** `exclusiveMaximum`. */
export function exclusiveMaximum(limit: number | Decimal): Schema {
  return bound(limit, 'must be <', (order) => order < 0);
}

/** `multipleOf`, by the decimal digits of both numbers: 0.3 is a multiple of 0.1. */
export function multipleOf(divisor: number | Decimal): Schema {
  const exact = toDecimal(divisor);
  const shown = numberText(exact.number);
  return (value, place, run) =>
    typeof value !== 'number' ||
    isMultiple(value, divisor, exact) ||
    run.report(place, `${numberText(value)} not multipleOf ${shown}`);
}

function bound(limit: number | Decimal, says: string, allows: (order: number) => boolean): Schema {
  const exact = toDecimal(limit);
  const shown = numberText(exact.number);
  return (value, place, run) =>
    typeof value !== 'number' ||
    allows(compareNumbers(value, limit, exact)) ||
    run.report(place, `${says} ${shown} but found ${numberText(value)}`);
}

/** Doubles are in the order of their decimal texts: digits matter only where the limit is not a double. */
function compareNumbers(value: number, limit: number | Decimal, exact: Decimal): number {
  return typeof limit === 'number' || value !== exact.number
    ? Math.sign(value - exact.number)
    : new Decimal(String(value)).compare(exact);
}

function isMultiple(value: number, divisor: number | Decimal, exact: Decimal): boolean {
  if (Number.isSafeInteger(value) && typeof divisor === 'number' && Number.isSafeInteger(divisor))
    return value % divisor === 0;
  return new Decimal(String(value)).isMultipleOf(exact);
}

function toDecimal(value: number | Decimal): Decimal {
  return typeof value === 'number' ? new Decimal(String(value)) : value;
}
