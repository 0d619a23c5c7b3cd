import { isFailure, type Result, Timestamp, type Value } from '../../packages/cel/runtime/index.js';
import type { Attributes, Request } from '../policy/index.js';
import { guard } from './limits.js';
import { systemClock } from './options.js';

/** A value about the principal alone that SQL cannot compute, by its id. */
export type ComputedEntry = readonly [id: string, compute: (request: Request) => Result];

/** What a session of a database says of its principal. */
export interface ComputedFor {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr?: Attributes;
  readonly token?: Attributes;
}

/** The values of a principal by id: a list of the value, or an empty one if it cannot be evaluated. */
export type ComputedValues = (session: ComputedFor) => { readonly [id: string]: readonly unknown[] };

/**
 * The values that an application sends with a session, for policies of a database that read them (docs/row-level-security.md).
 *
 * The returned function throws a TypeError for a value that PostgreSQL would read differently, and an EvaluationLimitError
 * for one that costs too much.
 */
export function computedValues(entries: readonly ComputedEntry[]): ComputedValues {
  const clock = systemClock();
  return ({ id, roles, attr = {}, token = {} }) => {
    const request: Request = {
      principal: { id, roles, attr, policyVersion: '', scope: '' },
      resource: { kind: '', id: '', attr: {}, policyVersion: '', scope: '' },
      auxData: { jwt: token, jwts: {} },
      effectiveDerivedRoles: [],
      failedDerivedRoles: [],
      globals: {},
      now: { ...clock() },
    };
    return guard.asOne(() => {
      const values = entries.map(([name, compute]) => {
        const result = compute(request);
        return [name, isFailure(result) ? [] : [sentValue(result, name)]] as const;
      });
      return Object.fromEntries(values);
    }, {});
  };
}

/** A value as JSON that PostgreSQL reads as the same value. */
function sentValue(value: Value, name: string): unknown {
  switch (typeof value) {
    case 'string':
      if (/\0|\p{Surrogate}/u.test(value))
        throw new TypeError(`computed.${name}: a string with NUL or half a character`);
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`computed.${name}: ${value} is not in JSON`);
      return value;
    case 'bigint':
      if (!Number.isSafeInteger(Number(value)))
        throw new TypeError(`computed.${name}: an integer of more than 53 bits`);
      return Number(value);
    default:
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((item: Value) => sentValue(item, name));
      if (value instanceof Timestamp) return momentText(value, name);
      if (!isPlainObject(value)) throw new TypeError(`computed.${name}: a value that is not in JSON`);
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [sentValue(key, name), sentValue(item as Value, name)]),
      );
  }
}

/** A moment in UTC. PostgreSQL stores microseconds. */
function momentText({ seconds, nanos }: Timestamp, name: string): string {
  if (nanos % 1_000 !== 0) throw new TypeError(`computed.${name}: a moment with parts of a microsecond`);
  const [text = ''] = new Date(seconds * 1_000).toISOString().split('.');
  return `${text}.${String(nanos / 1_000).padStart(6, '0')}Z`;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
