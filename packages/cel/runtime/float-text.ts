/**
 * The double a text stands for (docs/spec/conditions.md#core-functions): decimal or hexadecimal with a binary exponent,
 * underscores between digits, and the names of NaN and infinity; undefined for any other text and where it leaves the
 * range. Too small is 0.
 */
export function doubleOfText(text: string): number | undefined {
  const special = SPECIAL.exec(text);
  if (special !== null) return specialValue(special[1] === '-', special[2] ?? '');
  if ((HEXADECIMAL_PREFIX.test(text) ? STRAY_IN_HEXADECIMAL : STRAY_IN_DECIMAL).test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  const hexadecimal = HEXADECIMAL.exec(digits);
  const value = hexadecimal === null ? decimalValue(digits) : hexadecimalValue(hexadecimal);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;

/** An underscore that is not between two digits; the prefix of a hexadecimal counts as one. */
const STRAY_IN_DECIMAL = /(?:^|[^0-9])_|_(?:[^0-9]|$)/;
const STRAY_IN_HEXADECIMAL = /(?:^|[^0-9a-fA-FxX])_|_(?:[^0-9a-fA-F]|$)/;

const HEXADECIMAL_PREFIX = /^[+-]?0[xX]/;

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

const HEXADECIMAL = /^([+-]?)0[xX](?=\.?[0-9a-fA-F])([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/;

function specialValue(negative: boolean, name: string): number {
  if (name.toLowerCase() === 'nan') return Number.NaN;
  return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function decimalValue(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

function hexadecimalValue([, sign = '', whole = '', fraction = '', power = '']: RegExpExecArray): number {
  const mantissa = Number(BigInt(`0x0${whole}${fraction}`));
  const value = scaled(mantissa, Number(power) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

// In steps, because 2 ** exponent alone may be out of range where the product is not.
function scaled(mantissa: number, exponent: number): number {
  if (mantissa === 0) return 0;
  let value = mantissa;
  let left = Math.max(-5000, Math.min(5000, exponent));
  for (; left > 1000; left -= 1000) value *= 2 ** 1000;
  for (; left < -1000; left += 1000) value *= 2 ** -1000;
  return value * 2 ** left;
}
