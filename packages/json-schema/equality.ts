import { Decimal } from './decimal.js';
import { isObject } from './json.js';
import type { Run } from './run.js';

/** A JSON value of a schema; a number that is not exactly a double is a `Decimal`. */
export type Stated =
  | null
  | boolean
  | number
  | string
  | Decimal
  | readonly Stated[]
  | { readonly [name: string]: Stated };

/** Whether a value equals that of a schema. Compares no deeper than the value of the schema. */
export function isStated(value: unknown, stated: Stated): boolean {
  if (stated instanceof Decimal) return stated.equals(value);
  if (Array.isArray(stated)) {
    return (
      Array.isArray(value) &&
      value.length === stated.length &&
      stated.every((item: Stated, index) => isStated(value[index], item))
    );
  }
  if (typeof stated !== 'object' || stated === null) return value === stated;
  if (!isObject(value)) return false;
  const members = Object.entries(stated);
  return (
    Object.keys(value).length === members.length &&
    members.every(([name, member]) => Object.hasOwn(value, name) && isStated(value[name], member as Stated))
  );
}

/**
 * A string that equal values have and others do not, with members sorted by name. Undefined if it takes too much work.
 */
export function identify(value: unknown, run: Run, depth = 0): string | undefined {
  if (!run.enterValue(depth)) return undefined;
  if (value === 0) return '0';
  if (typeof value === 'string') run.spend(value.length >> 6);
  if (Array.isArray(value))
    return joined(
      '[',
      value.map((item) => identify(item, run, depth + 1)),
      ']',
    );
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => joined(`${JSON.stringify(name)}:`, [identify(value[name], run, depth + 1)], ''));
  return joined('{', members, '}');
}

function joined(open: string, parts: readonly (string | undefined)[], close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(',')}${close}`;
}
