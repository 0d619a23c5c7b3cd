import type { JsonMap } from '../../packages/cel/runtime/index.js';
import { ATTRIBUTES, path, type Term, Unknown } from './term.js';

/**
 * The resource while its rows are unknown: the values listed in the request are known for all of them
 * (docs/spec/plans.md#known-and-unknown).
 */
export interface Row {
  /** `R.attr.x`: the value listed, or a path. */
  readonly attr: (name: string) => Term;
  /** `R.attr` as a whole. */
  readonly attributes: Unknown;
  /** `R.id`. */
  readonly id: Unknown;
  /** `R.policyVersion`. */
  readonly policyVersion: Unknown;
}

/** The row of a request that lists some attributes. */
export function rowOf(listed: JsonMap): Row {
  return {
    attr: (name) => readAttribute(listed, name, false),
    attributes: new Unknown({ kind: 'attributes', listed }, 'other'),
    id: ID,
    policyVersion: POLICY_VERSION,
  };
}

/** An attribute by name. */
export function readAttribute(listed: JsonMap, name: string, bracketed: boolean): Term {
  return Object.hasOwn(listed, name) ? listed[name] : path(ATTRIBUTES, [{ name, bracketed }]);
}

const ID = path('request.resource.id', [], 'string');
const POLICY_VERSION = path('request.resource.policyVersion', [], 'string');

/** The row of a request that lists no attributes. The paths of attributes are shared: policies name only so many. */
export const ANY_ROW: Row = anyRow();

function anyRow(): Row {
  const row = rowOf(Object.freeze({}));
  const paths = new Map<string, Term>();
  const attr = (name: string): Term => {
    const known = paths.get(name);
    if (known !== undefined) return known;
    const created = row.attr(name);
    paths.set(name, created);
    return created;
  };
  return { ...row, attr };
}
