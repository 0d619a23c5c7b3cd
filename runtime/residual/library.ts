import * as cel from '../cel/index.js';
import { type Condition, type PossibleRole, type Term, Unknown } from './term.js';

/**
 * `runtime.effectiveDerivedRoles` as a term; reading it fails where it is not `readable`
 * (docs/spec/policy-language.md#strict-evaluation). Roles that are known to be active or not are a list like any other.
 */
export function rolesOf(roles: readonly PossibleRole[], readable: Condition): Term {
  if (readable === false) return cel.select({}, 'effectiveDerivedRoles');
  const possible = roles.filter(({ condition }) => condition !== false);
  if (readable === true && possible.every(({ condition }) => condition === true))
    return possible.map(({ name }) => name);
  return new Unknown({ kind: 'roles', roles: possible, readable }, 'other');
}
