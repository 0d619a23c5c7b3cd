import { NO_SUCH_OVERLOAD } from './failures.js';
import { charge, chargeRead } from './meter.js';
import { typeNameOf } from './type-names.js';
import { CelError, Opaque, type Value } from './values.js';

/** A path of levels, the root first (docs/spec/conditions.md#hierarchy-functions). */
export class HierarchyValue extends Opaque {
  readonly typeName = 'authz.lib.hierarchy';

  constructor(readonly levels: readonly string[]) {
    super();
  }

  /** By levels; another kind is refused, null is merely unequal (docs/spec/conditions.md#equality). */
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

/** In UTF-16 units: comparing shorter strings costs no more than looking at them. */
const LONG = 64;
