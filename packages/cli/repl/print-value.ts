import {
  doubleText,
  Duration,
  isFailure,
  Message,
  Opaque,
  Optional,
  Timestamp,
  toText,
  TypeValue,
  Uint,
  type Value,
  ValueMap,
} from '../../cel/runtime/index.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';

/** The maximum depth of a value and length of a string; anything beyond it is truncated. */
const DEEPEST = 50;
const LONGEST = 100_000;

/**
 * A value in CEL syntax, where CEL has one: `1`, `1u`, `1.0`, `"a"`, `[1, 2]`, `timestamp("...")`. Characters that
 * could manipulate a terminal are escaped.
 */
export function printValue(value: Value): string {
  const text = formatValue(value, 0);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function formatValue(value: Value, depth: number): string {
  if (depth > DEEPEST) return '…';
  const inner = (part: Value): string => formatValue(part, depth + 1);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return visibleJson(value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `b"${Array.from(value, byteText).join('')}"`;
  if (value instanceof Timestamp) return called('timestamp', value);
  if (value instanceof Duration) return called('duration', value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Optional)
    return value.value === undefined ? 'optional.none()' : `optional.of(${inner(value.value)})`;
  if (value instanceof Opaque) return called(value.typeName, value);
  if (value instanceof Message)
    return `${value.typeName}${braced(Object.entries(value.fields).map(([name, field]) => `${name}: ${inner(field)}`))}`;
  if (value instanceof ValueMap)
    return braced([...value.entries.values()].map(([key, entry]) => `${inner(key)}: ${inner(entry)}`));
  if (isList(value)) return `[${value.map(inner).join(', ')}]`;
  return braced(Object.entries(value).map(([key, entry]) => `${visibleJson(key)}: ${inner(entry)}`));
}

function isList(value: object): value is readonly Value[] {
  return Array.isArray(value);
}

/** Doubles are distinguished from ints. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return `double(${visibleJson(doubleText(value))})`;
  const text = doubleText(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function byteText(byte: number): string {
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Formats a value as the call that creates it, if it has a string form. */
function called(name: string, value: Value): string {
  const text = toText(value);
  return isFailure(text) || typeof text !== 'string' ? `${name}(…)` : `${name}(${visibleJson(text)})`;
}

function braced(entries: readonly string[]): string {
  return `{${entries.join(', ')}}`;
}
