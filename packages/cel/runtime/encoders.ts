import { base64Bytes, base64Text } from './base64.js';
import { compareCodePoints } from './code-points.js';
import { refuse } from './failures.js';
import { type Json, toJson } from './json.js';
import { charge, chargeText } from './meter.js';
import { CelError, isFailure, type Result } from './values.js';

/** `base64.encode(bytes)` (docs/spec/conditions.md#encoding-functions). */
export function base64Encode(bytes: Result): Result {
  if (!(bytes instanceof Uint8Array)) return refuse('base64.encode', bytes);
  return base64Text(bytes);
}

/** `base64.decode(text)`. */
export function base64Decode(text: Result): Result {
  if (typeof text !== 'string') return refuse('base64.decode', text);
  chargeText(8 * text.length);
  const bytes = base64Bytes(text);
  return typeof bytes === 'number' ? new CelError(`illegal base64 data at input byte ${bytes}`) : bytes;
}

/** `json.encode(x)`: the value as an output would have it, compact, keys in code point order. */
export function jsonEncode(x: Result): Result {
  if (isFailure(x)) return x;
  const json = toJson(x);
  if (json instanceof CelError) return json;
  const text = jsonText(json);
  chargeText(text.length);
  return text;
}

function jsonText(json: Json): string {
  charge(10);
  if (typeof json === 'string') return quoted(json);
  if (typeof json === 'number') return Object.is(json, -0) ? '-0' : String(json);
  if (json === null || typeof json === 'boolean') return String(json);
  if (Array.isArray(json)) return `[${json.map(jsonText).join(',')}]`;
  const entries = Object.entries(json).sort(([a], [b]) => compareCodePoints(a, b));
  charge(40 * entries.length);
  return `{${entries.map(([key, value]) => `${quoted(key)}:${jsonText(value)}`).join(',')}}`;
}

// Besides what JSON asks for, what would end a script element or a JavaScript line is escaped.
function quoted(text: string): string {
  chargeText(2 * text.length + 16);
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
