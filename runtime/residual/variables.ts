import * as cel from '../../packages/cel/runtime/index.js';
import { isFailure } from '../../packages/cel/runtime/index.js';
import { evaluates } from './algebra.js';
import { conditional } from './logic.js';
import { isReadable } from './selection.js';
import { type Condition, isKnown, isUnplannable, type PossibleRole, getResult, type Term, Unknown } from './term.js';

/** `has(V.x)`: whether a variable can be evaluated (docs/spec/plans.md#d-05-has-of-what-is-known). */
export function isSet(term: Term): Term {
  if (isKnown(term)) return !isFailure(getResult(term));
  if (isUnplannable(term)) return term;
  const readable = isReadable(term);
  if (readable !== undefined) return readable;
  const condition = evaluates(term);
  return typeof condition === 'boolean' ? condition : new Unknown({ kind: 'condition', condition }, 'bool');
}

/**
 * A variable while derived roles are listed: one that fails reads as null
 * (docs/spec/policy-language.md#evaluating-variables).
 */
export function orNull(term: Term): Term {
  if (isKnown(term)) return isFailure(getResult(term)) ? null : term;
  const set = isSet(term);
  return isUnplannable(set) ? set : conditional(set, term, null);
}

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
