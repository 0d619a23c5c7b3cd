import { codePointsOf } from './code-points.js';
import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { firstNonString, notAString, passesAsStrings } from './lists-of-strings.js';
import { charge, chargeList, chargeRead } from './meter.js';
import { wrongReceiver } from './receivers.js';
import { splitPieces } from './strings.js';
import { typeNameOf } from './type-names.js';
import { CelError, isFailure, Opaque, type Result, type Value } from './values.js';

/** A path of levels, the root first (docs/spec/conditions.md#hierarchy-functions). */
export class HierarchyValue extends Opaque {
  readonly typeName = 'authz.lib.hierarchy';

  constructor(readonly levels: readonly string[]) {
    super();
  }

  /** Compares by levels; another kind is refused, null is merely unequal (docs/spec/conditions.md#equality). */
  override equalTo(other: Value): boolean | CelError {
    if (other === null) return false;
    if (!(other instanceof HierarchyValue)) return NO_SUCH_OVERLOAD;
    return other.levels.length === this.levels.length && this.isPrefixOf(other);
  }

  override size(): bigint {
    return BigInt(this.levels.length);
  }

  /** `h[i]`, an int only (docs/spec/conditions.md#selection-and-indexing). */
  override element(index: Value): Value | CelError {
    if (typeof index !== 'bigint') return new CelError(`unsupported index type '${typeNameOf(index)}'`);
    return this.levels[Number(index)] ?? new CelError('index out of range');
  }

  /** A variable keeps the levels only (docs/spec/conditions.md#stored-values). */
  override stored(): Value {
    return this.levels;
  }

  /** Whether the other one starts with all levels of this one; equal ones do. */
  isPrefixOf(other: HierarchyValue): boolean {
    if (this.levels.length > other.levels.length) return false;
    charge(this.levels.length);
    return this.levels.every((level, depth) => {
      if (level.length > LONG) chargeRead(level.length);
      return level === other.levels[depth];
    });
  }
}

/** Length in UTF-16 units: comparing shorter strings costs no more than looking at them. */
const LONG = 64;

/**
 * `hierarchy("a.b")`, `hierarchy("a:b", ":")`, `hierarchy(["a", "b"])` (docs/spec/conditions.md#hierarchy-functions).
 */
export function hierarchy(x: Result, ...separator: readonly [separator?: Result]): Result {
  if (separator.length > 0) return splitBy(x, separator[0]);
  if (typeof x === 'string') return splitBy(x, '.');
  if (!passesAsStrings(x)) return refuse('hierarchy', x);
  const unfit = firstNonString(x);
  if (unfit === undefined) return new HierarchyValue(x as readonly string[]);
  return new CelError(`failed to convert list to string slice: ${notAString(unfit)}`);
}

/** `a.ancestorOf(b)`: a is a strict prefix of b. */
export function ancestorOf(a: Result, b: Result): Result {
  return compared('ancestorOf', a, b, (one, other) => measureDepth(one) < measureDepth(other) && one.isPrefixOf(other));
}

/** `a.descendentOf(b)`: b is an ancestor of a. */
export function descendentOf(a: Result, b: Result): Result {
  return compared(
    'descendentOf',
    a,
    b,
    (one, other) => measureDepth(other) < measureDepth(one) && other.isPrefixOf(one),
  );
}

/** `a.immediateParentOf(b)`: a is b without its last level. */
export function immediateParentOf(a: Result, b: Result): Result {
  return compared('immediateParentOf', a, b, isParent);
}

/** `a.immediateChildOf(b)`: b is a without its last level. */
export function immediateChildOf(a: Result, b: Result): Result {
  return compared('immediateChildOf', a, b, (one, other) => isParent(other, one));
}

/** `a.overlaps(b)`: one is a prefix of the other, or they are equal. */
export function overlaps(a: Result, b: Result): Result {
  return compared('overlaps', a, b, (one, other) => one.isPrefixOf(other) || other.isPrefixOf(one));
}

/** `a.siblingOf(b)`: equal but for the last level, which may be equal too. */
export function siblingOf(a: Result, b: Result): Result {
  return compared('siblingOf', a, b, (one, other) => {
    if (measureDepth(one) !== measureDepth(other)) return false;
    return one.levels.slice(0, -1).every((level, depth) => level === other.levels[depth]);
  });
}

/** `a.commonAncestors(b)`: the longest prefix they share; of two equally long ones without their last levels. */
export function commonAncestors(a: Result, b: Result): Result {
  return compared('commonAncestors', a, b, (one, other) => {
    const longest =
      measureDepth(one) === measureDepth(other)
        ? measureDepth(one) - 1
        : Math.min(measureDepth(one), measureDepth(other));
    if (longest < 0) return new CelError('internal error: runtime error: slice bounds out of range [:-1]');
    const differing = one.levels.findIndex((level, depth) => depth >= longest || level !== other.levels[depth]);
    return new HierarchyValue(one.levels.slice(0, differing < 0 ? longest : differing));
  });
}

function splitBy(x: Result, separator: Result): Result {
  if (typeof x !== 'string' || typeof separator !== 'string') return refuse('hierarchy', x, separator);
  if (separator !== '') return new HierarchyValue(splitPieces(x, separator, Number.POSITIVE_INFINITY));
  chargePieces(x.length);
  return new HierarchyValue(codePointsOf(x));
}

/** A wrong argument is class A (docs/spec/conditions.md#hierarchy-functions). */
function compared(
  name: string,
  a: Result,
  b: Result,
  compare: (a: HierarchyValue, b: HierarchyValue) => Value | CelError,
): Result {
  if (!(a instanceof HierarchyValue)) return wrongReceiver(name, a, b);
  if (isFailure(b)) return b;
  if (!(b instanceof HierarchyValue)) return NO_SUCH_OVERLOAD;
  chargePieces(a.levels.length + b.levels.length);
  return compare(a, b);
}

function chargePieces(count: number): void {
  charge(2 * count);
  chargeList(count, count);
}

function isParent(parent: HierarchyValue, child: HierarchyValue): boolean {
  return measureDepth(parent) + 1 === measureDepth(child) && parent.isPrefixOf(child);
}

function measureDepth(value: HierarchyValue): number {
  return value.levels.length;
}
