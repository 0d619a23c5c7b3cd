import { below } from './apply.js';
import { identify } from './equality.js';
import type { Place } from './place.js';
import type { Run, Schema } from './run.js';

/** The schemas of an array's first items, one each, and of all that follow. */
export interface Items {
  readonly prefixItems: readonly Schema[];
  /** `false` forbids them, as `additionalItems: false` does. */
  readonly rest?: Schema | false;
}

/** `items` with one schema for all. */
export function items(schema: Schema): Schema {
  return tuple({ prefixItems: [], rest: schema });
}

/** `prefixItems` and `items`; before draft 2020-12, `items` with a list and `additionalItems`. */
export function tuple({ prefixItems, rest }: Items): Schema {
  return (value, place, run) => {
    if (!Array.isArray(value)) return true;
    let valid = true;
    for (const [index, item] of value.entries()) {
      const schema = prefixItems[index] ?? rest;
      if (schema === undefined) break;
      if (schema === false)
        return run.report(place, `only ${prefixItems.length} items are allowed, but found ${value.length} items`);
      run.evaluated?.add(index);
      if (!below(schema, item, place, String(index), run)) valid = false;
    }
    return valid;
  };
}

/** `contains` with its limits. Too few matches are explained by the violations of the other items. */
export interface Contains {
  readonly schema: Schema;
  readonly minContains: number;
  readonly maxContains?: number;
  /** Whether the matching items count as evaluated: draft 2020-12 only. */
  readonly evaluates?: true;
}

/** `contains`, `minContains` and `maxContains`. */
export function contains({ schema, minContains, maxContains = Infinity, evaluates }: Contains): Schema {
  return (value, place, run) => {
    if (!Array.isArray(value)) return true;
    const mark = run.mark;
    let matched = 0;
    for (const [index, item] of value.entries()) {
      if (!below(schema, item, place, String(index), run)) continue;
      matched += 1;
      if (evaluates) run.evaluated?.add(index);
    }
    if (matched < minContains) {
      return run.mark > mark ? false : run.report(place, `valid must be >= ${minContains}, but got ${matched}`);
    }
    run.forget(mark);
    return matched <= maxContains || run.report(place, `valid must be <= ${maxContains}, but got ${matched}`);
  };
}

/** `minItems`. */
export function minItems(least: number): Schema {
  return (value, place, run) =>
    !Array.isArray(value) ||
    value.length >= least ||
    run.report(place, `minimum ${least} items required, but found ${value.length} items`);
}

/** `maxItems`. */
export function maxItems(most: number): Schema {
  return (value, place, run) =>
    !Array.isArray(value) ||
    value.length <= most ||
    run.report(place, `maximum ${most} items required, but found ${value.length} items`);
}

/** `uniqueItems`: every pair of equal items is reported. */
export const uniqueItems: Schema = (value, place, run) => {
  if (!Array.isArray(value)) return true;
  let valid = true;
  const seen = new Map<string, number[]>();
  for (const [index, item] of value.entries()) {
    const identity = identify(item, run);
    if (identity === undefined) return false;
    const earlier = seen.get(identity);
    if (earlier === undefined) {
      seen.set(identity, [index]);
      continue;
    }
    valid = reportPairs(earlier, index, place, run);
    earlier.push(index);
  }
  return valid;
};

function reportPairs(earlier: readonly number[], index: number, place: Place, run: Run): false {
  for (const [at, other] of earlier.entries()) {
    if (run.isFull) return run.reportUnlisted(earlier.length - at);
    run.report(place, `items at index ${other} and ${index} are equal`);
  }
  return false;
}
