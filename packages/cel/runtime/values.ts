/**
 * The values of CEL in JavaScript (docs/spec/conditions.md#kinds-of-values). Attributes stay plain JSON, so most values
 * are what they look like: a number is a CEL double, a bigint an int, a string, a boolean, null, an array a list, a
 * plain object a map with string keys. The rest are the classes below.
 */
export type Value =
  | null
  | boolean
  | number
  | string
  | bigint
  | Uint
  | Uint8Array
  | readonly Value[]
  | JsonMap
  | ValueMap
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Message
  | Opaque;

/** A map as JSON gives it. Only own properties are entries. */
export interface JsonMap {
  readonly [key: string]: Value;
}

/**
 * What an evaluation gives: a value, or a failure. `undefined` is a failure without a text (a missing
 * attribute read with plain property access); a CelError carries the text of docs/spec/conditions.md#error-messages.
 * Nothing of this library throws: a function handed a failure hands the first one on.
 */
export type Result = Value | CelError | undefined;

/** A failed evaluation, as a value. */
export class CelError {
  constructor(readonly message: string) {}
}

/** Whether an evaluation failed. */
export function isFailure(result: unknown): result is CelError | undefined {
  return result === undefined || result instanceof CelError;
}

/** An unsigned 64-bit integer. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/**
 * A map made by a literal or a macro: keys of any kind, in insertion order
 * (docs/spec/conditions.md#selection-and-indexing). `mapKey` (maps.ts) makes the texts they are found by.
 */
export class ValueMap {
  constructor(readonly entries: ReadonlyMap<string, readonly [key: Value, value: Value]>) {}
}

/** An instant with the UTC offset of its source text (docs/spec/conditions.md#timestamps). */
export class Timestamp {
  /**
   * @param seconds since 1970-01-01T00:00:00Z, an integer, negative before.
   * @param nanos 0 to 999,999,999.
   * @param offset minutes east of UTC, for printing only.
   */
  constructor(
    readonly seconds: number,
    readonly nanos: number,
    readonly offset: number,
  ) {}
}

/** A span of time in nanoseconds, an int64 (docs/spec/conditions.md#durations). */
export class Duration {
  constructor(readonly nanos: bigint) {}
}

/** A type as a value: `type(x)`, `int`, `net.IP`. */
export class TypeValue {
  constructor(readonly name: string) {}
}

/** An optional; `value` is undefined for none. */
export class Optional {
  constructor(readonly value: Value | undefined) {}
}

/**
 * `P`, `R`, `request`, `V` ... as a whole (docs/spec/conditions.md#field-access,
 * docs/spec/conditions.md#messages-as-values): fields by proto name, unset ones absent.
 */
export class Message {
  constructor(
    readonly typeName: string,
    readonly fields: { readonly [name: string]: Value },
  ) {}
}

/**
 * The base of the opaque kinds: hierarchy, IP, CIDR, SPIFFE (each in its own file). What the core asks of them is a
 * method here, so the core knows none of them by name; the defaults are those of a kind that has no such operation.
 */
export abstract class Opaque {
  /** The name that `type(x)` prints, e.g. `authz.lib.hierarchy`. */
  abstract readonly typeName: string;

  /**
   * `this == other`, with this on the left (docs/spec/conditions.md#equality): a boolean, or the failure of the kinds
   * that refuse other kinds. Never asked about null.
   */
  equalTo(other: Value): boolean | CelError {
    return this === other;
  }

  /** `this <=> other`: negative, 0, positive; undefined when there is no order (docs/spec/conditions.md#ordering). */
  compareTo(_other: Value): number | undefined {
    return undefined;
  }

  /** `string(this)` (docs/spec/conditions.md#core-functions); undefined when there is no conversion. */
  toText(): string | undefined {
    return undefined;
  }

  /** `this.size()` (docs/spec/conditions.md#hierarchy-functions); undefined when it has none. */
  size(): bigint | undefined {
    return undefined;
  }

  /**
   * `this[index]` and `this.name` (docs/spec/conditions.md#selection-and-indexing); undefined when it has no elements.
   */
  element(_index: Value): Value | CelError | undefined {
    return undefined;
  }

  /**
   * What a variable keeps of it (docs/spec/conditions.md#policy-variables): itself, a plain value, or the failure that
   * reading the variable gives.
   */
  stored(): Value | CelError {
    return this;
  }
}
