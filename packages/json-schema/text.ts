import { shortened } from '../cel/runtime/code-points.js';
import { quotedText } from '../cel/runtime/quoted-text.js';
import { Decimal } from './decimal.js';
import type { Stated } from './equality.js';
import { MAX_TEXT } from './run.js';

/**
 * A string in single quotes, as messages name members, patterns and formats
 * (docs/spec/policy-language.md#validation-errors), cut to the length of a message.
 */
export function singleQuoted(text: string): string {
  return `'${quotedText(shortened(text, MAX_TEXT)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/**
 * A number as messages show it: with the fewest digits, and with an exponent from a million on and below 0.0001
 * (docs/spec/policy-language.md#validation-errors).
 */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}

/**
 * A value of `enum` or `const` as messages show it: numbers in quotes, as they were written. Undefined for arrays and
 * objects.
 */
export function statedText(value: Stated): string | undefined {
  if (value === null) return '<nil>';
  if (value instanceof Decimal) return `"${value.text}"`;
  switch (typeof value) {
    case 'string':
      return quotedText(value);
    case 'number':
      return `"${value}"`;
    case 'boolean':
      return String(value);
    case 'object':
      return undefined;
  }
}
