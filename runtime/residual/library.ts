import * as cel from '../cel/index.js';
import { type Filter, filterOf, type Writing } from './filter.js';
import { type Row, rowOf } from './row.js';
import { type Condition, type PossibleRole, type Term, Unknown } from './term.js';

/**
 * What an engine needs of the residuals of a bundle. A bundle has this library in it, and its terms are values of its own copy: who asks for them
 * must be answered by that copy.
 */
export interface Library {
  readonly rowOf: (listed: cel.JsonMap) => Row;
  /** `runtime.effectiveDerivedRoles` as a term; reading it fails where it is not `readable` (policy-language.md 8.9). */
  readonly rolesOf: (roles: readonly PossibleRole[], readable: Condition) => Term;
  readonly filterOf: (condition: Condition, writing: Writing) => Filter;
}

/** The library. */
export const library: Library = { rowOf, rolesOf, filterOf };

/** Roles that are known to be active or not are a list like any other. */
function rolesOf(roles: readonly PossibleRole[], readable: Condition): Term {
  if (readable === false) return cel.select({}, 'effectiveDerivedRoles');
  const possible = roles.filter(({ condition }) => condition !== false);
  if (readable === true && possible.every(({ condition }) => condition === true)) return possible.map(({ name }) => name);
  return new Unknown({ kind: 'roles', roles: possible, readable }, 'other');
}
