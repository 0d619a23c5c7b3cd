import { compareCodePoints } from './code-points.js';
import { fixedDecimal, plainDecimal, scientificDecimal } from './decimal-text.js';
import { durationText } from './duration.js';
import { refuse } from './failures.js';
import { isList, isMap } from './kinds.js';
import { mapEntries } from './maps.js';
import { charge, chargeText, MAX_DEPTH, MAX_TEXT, tooDeep } from './meter.js';
import { quotedText } from './quoted-text.js';
import { timestampUtcText } from './timestamp.js';
import { typeNameOf } from './type-names.js';
import { CelError, Duration, type Result, Timestamp, TypeValue, Uint, type Value } from './values.js';

/**
 * `template.format(args)` (docs/spec/conditions.md#format). The first trouble from the left is the result; surplus
 * arguments are ignored.
 */
export function format(template: Result, args: Result): Result {
  if (typeof template !== 'string' || !isList(args)) return refuse('format', template, args);
  let text = '';
  let used = 0;
  charge(2 * template.length);
  chargeText(8 * template.length);
  for (const part of parseTemplate(template)) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const value = args[used];
    if (value === undefined) return new CelError(`index ${used} out of range`);
    if (part.kind === 'problem') return new CelError(part.message);
    const formatted = formatValue(part.verb, part.precision, value);
    if (formatted instanceof CelError) return formatted;
    chargeText(formatted.length);
    text += formatted;
    if (text.length > MAX_TEXT) chargeText(text.length);
    used += 1;
  }
  return text;
}

/** The text of one argument under one clause, or why it has none (docs/spec/conditions.md#format). */
function formatValue(verb: Verb, precision: number, value: Value): string | CelError {
  const text = verb === 's' ? stringText(value, MAX_DEPTH) : numberOrBytesText(verb, precision, value);
  return text ?? formattingError(verb, typeNameOf(value));
}

function formattingError(verb: Verb, typeName: string): CelError {
  return new CelError(`error during formatting: ${EXPECTATIONS[verb]}, was given ${typeName}`);
}

/** What each clause takes, in the reference's words. */
const EXPECTATIONS: { readonly [verb in Verb]: string } = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on ints, uints, and doubles',
  f: 'fixed-point clause can only be used on ints, uints, and doubles',
  e: 'scientific clause can only be used on ints, uints, and doubles',
  b: 'only ints, uints, and bools can be formatted as binary',
  x: 'only ints, uints, bytes, and strings can be formatted as hex',
  X: 'only ints, uints, bytes, and strings can be formatted as hex',
  o: 'octal clause can only be used on ints and uints',
};

function stringText(value: Value, depth: number): string | CelError {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || value === null) return String(value);
  charge(20);
  if (typeof value === 'number') return plainDecimal(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return rawText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampUtcText(value);
  if (value instanceof TypeValue) return value.name;
  if (depth === 0) tooDeep();
  if (isList(value)) return listText(value, depth - 1);
  if (isMap(value)) return mapText(mapEntries(value), depth - 1);
  return formattingError('s', typeNameOf(value));
}

/** Bytes stand in the text as they are; what is not UTF-8 cannot, and becomes replacement characters. */
function rawText(bytes: Uint8Array): string {
  chargeText(bytes.length);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function listText(list: readonly Value[], depth: number): string | CelError {
  const texts: string[] = [];
  for (const element of list) {
    const text = stringText(element, depth);
    if (text instanceof CelError) return text;
    chargeText(text.length + 4);
    texts.push(text);
  }
  return `[${texts.join(', ')}]`;
}

function mapText(entries: readonly (readonly [Value, Value])[], depth: number): string | CelError {
  const texts: (readonly [key: string, entry: string])[] = [];
  for (const [key, value] of entries) {
    const keyText = stringText(key, depth);
    if (keyText instanceof CelError) return keyText;
    const text = stringText(value, depth);
    if (text instanceof CelError) return text;
    chargeText(2 * keyText.length + text.length + 30);
    texts.push([keyText, `${keyText}: ${text}`]);
  }
  const sorted = texts.sort(([a], [b]) => compareCodePoints(a, b));
  return `{${sorted.map(([, entry]) => entry).join(', ')}}`;
}

function numberOrBytesText(verb: Exclude<Verb, 's'>, precision: number, value: Value): string | undefined {
  charge(20);
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
  switch (verb) {
    case 'd':
      return typeof value === 'number' ? plainDecimal(value) : integer?.toString();
    case 'f':
    case 'e':
      return realText(verb, precision, typeof value === 'number' ? value : integer);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integer?.toString(2);
    case 'o':
      return integer?.toString(8);
    case 'x':
      return integer?.toString(16) ?? hexText(value);
    case 'X':
      return (integer?.toString(16) ?? hexText(value))?.toUpperCase();
  }
}

function realText(verb: 'f' | 'e', precision: number, value: number | bigint | undefined): string | undefined {
  if (value === undefined) return undefined;
  // Large and small numbers are divided as fractions of a thousand bits.
  charge(100 + 5 * precision);
  const real = Number(value);
  if (!Number.isFinite(real)) return plainDecimal(real);
  return verb === 'f' ? fixedDecimal(real, precision) : scientificDecimal(real, precision);
}

function hexText(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (!(bytes instanceof Uint8Array)) return undefined;
  chargeText(16 * bytes.length);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The letters of the formatting clauses (docs/spec/conditions.md#format). */
type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

/** A template taken apart. A problem is the last part: what follows it is never read. */
export type FormatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'clause'; readonly verb: Verb; readonly precision: number }
  | { readonly kind: 'problem'; readonly message: string };

/** The parts of a `format` template in order. */
function parseTemplate(template: string): readonly FormatPart[] {
  const parts: FormatPart[] = [];
  let at = 0;
  while (at < template.length) {
    const percent = template.indexOf('%', at);
    if (percent < 0) return [...parts, { kind: 'text', text: template.slice(at) }];
    parts.push({ kind: 'text', text: template.slice(at, percent) });
    if (template.startsWith('%%', percent)) {
      parts.push({ kind: 'text', text: '%' });
      at = percent + 2;
      continue;
    }
    const { part, end } = parseClause(template, percent + 1);
    parts.push(part);
    if (part.kind === 'problem') return parts;
    at = end;
  }
  return parts;
}

const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 100;

interface Parsed {
  readonly part: FormatPart;
  readonly end: number;
}

function parseClause(template: string, start: number): Parsed {
  if (start >= template.length) return problem('unexpected end of string');
  if (template.charAt(start) !== '.') return parseVerb(template, start, DEFAULT_PRECISION);
  const digits = /^[0-9]*/.exec(template.slice(start + 1))?.[0] ?? '';
  const end = start + 1 + digits.length;
  const trouble = end >= template.length ? 'could not find end of precision specifier' : troubleWith(digits);
  if (trouble !== undefined) return clauseProblem(`error while parsing precision: ${trouble}`);
  return parseVerb(template, end, Number(digits));
}

/** Texts of the reference's number parser; precisions that do not fit an int64 are another of its complaints. */
function troubleWith(digits: string): string | undefined {
  const parsing = `error while converting precision to integer: strconv.Atoi: parsing ${quotedText(digits)}`;
  if (digits === '') return `${parsing}: invalid syntax`;
  const precision = BigInt(digits.replace(/^0+(?=.)/, '').slice(0, 20));
  if (precision > 2n ** 63n - 1n) return `${parsing}: value out of range`;
  return precision <= MAX_PRECISION
    ? undefined
    : `precision ${precision} exceeds maximum allowed precision ${MAX_PRECISION}`;
}

function parseVerb(template: string, at: number, precision: number): Parsed {
  const verb = template.charAt(at);
  if (isVerb(verb)) return { part: { kind: 'clause', verb, precision }, end: at + 1 };
  return clauseProblem(`unrecognized formatting clause "${quoteFirstByte(template, at)}"`);
}

function isVerb(char: string): char is Verb {
  return char !== '' && 'sdfebxXo'.includes(char);
}

/** The reference shows the first byte of a character's UTF-8 as if it were a character. */
function quoteFirstByte(template: string, at: number): string {
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(template.codePointAt(at) ?? 0));
  return String.fromCharCode(byte);
}

function clauseProblem(message: string): Parsed {
  return problem(`could not parse formatting clause: ${message}`);
}

function problem(message: string): Parsed {
  return { part: { kind: 'problem', message }, end: 0 };
}
