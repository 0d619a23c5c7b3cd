/** The type of an unquoted scalar, and its value in a string field (docs/spec/policy-language.md#scalars). */
export interface PlainScalar {
  readonly type: 'Null' | 'Bool' | 'Integer' | 'Float' | 'Nan' | 'Infinity' | 'String';
  readonly text: string;
}

/** Types an unquoted scalar. This is not YAML's core schema: see the table in docs/spec/policy-language.md#scalars. */
export function typePlainScalar(source: string): PlainScalar {
  const type = WORDS.get(source);
  if (type !== undefined) return { type, text: type === 'Null' ? '' : source };
  if (!STARTS_NUMBER.test(source)) return { type: 'String', text: source };
  const integer = parseInteger(source);
  if (integer !== undefined) return { type: 'Integer', text: integer.toString() };
  return { type: isFloat(source) ? 'Float' : 'String', text: source };
}

/** The value of an Integer or Float scalar as an IEEE double. */
export function parseNumber(source: string): number {
  return Number(source.replaceAll('_', ''));
}

const WORDS: ReadonlyMap<string, PlainScalar['type']> = new Map([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, 'Null'] as const),
  ...['true', 'True', 'TRUE', 'false', 'False', 'FALSE'].map((word) => [word, 'Bool'] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, 'Nan'] as const),
  ...['.inf', '.Inf', '.INF', '-.inf', '-.Inf', '-.INF'].map((word) => [word, 'Infinity'] as const),
]);

const STARTS_NUMBER = /^[+-]?[0-9.]/;
const LONGEST_INTEGER = 200;

// Underscores are allowed anywhere but at the start; a leading zero means octal.
function parseInteger(source: string): bigint | undefined {
  if (source.length > LONGEST_INTEGER) return undefined;
  const negative = source.startsWith('-');
  const digits = source.replace(/^[+-]/, '').replaceAll('_', '');
  const magnitude = parseMagnitude(digits);
  if (magnitude === undefined) return undefined;
  if (negative) return magnitude <= 2n ** 63n ? -magnitude : undefined;
  return magnitude < 2n ** 64n ? magnitude : undefined;
}

function parseMagnitude(digits: string): bigint | undefined {
  if (/^0x[0-9a-fA-F]+$/.test(digits) || /^0o[0-7]+$/.test(digits) || /^0b[01]+$/.test(digits)) return BigInt(digits);
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  if (/^(?:0|[1-9][0-9]*)$/.test(digits)) return BigInt(digits);
  return undefined;
}

// A float needs a dot: `1e3` is a string. A number too large for a double is a string, too.
function isFloat(source: string): boolean {
  const digits = source.replace(/^[+-]/, '').replaceAll('_', '');
  if (!/^(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(digits)) return false;
  return Number.isFinite(Number(digits));
}
