import type { Value } from './value.js';
import { parts } from './visit.js';

/** The variables of a module, and what is known about its values so far. */
export interface SettledScope {
  readonly variableValue: (name: string) => Value;
  /** The names of the variables that are defined before one; of all variables without it. */
  readonly variablesBefore: (name?: string) => readonly string[];
  /** The results by value: this is asked for every part of a value, and for a variable wherever it is used. */
  readonly settled: Map<Value, boolean>;
  /** Which parts of a request are known; by default all but the resource, except for its kind and scope. */
  readonly isKnown?: (part: Value & { readonly kind: 'field' | 'part' }) => boolean;
}

/**
 * Whether a value is known: before the resource, no part of it reads the resource, or a macro's variable from outside
 * (docs/spec/plans.md#known-and-unknown).
 *
 * @param bound the variables of the macros inside of which the value is known.
 */
export function isSettled(value: Value, scope: SettledScope, bound: ReadonlySet<string> = NO_NAMES): boolean {
  if (bound !== NO_NAMES) return findSettled(value, scope, bound);
  const known = scope.settled.get(value) ?? findSettled(value, scope, bound);
  scope.settled.set(value, known);
  return known;
}

const NO_NAMES: ReadonlySet<string> = new Set();

function findSettled(value: Value, scope: SettledScope, bound: ReadonlySet<string>): boolean {
  switch (value.kind) {
    case 'field':
    case 'part':
      return (scope.isKnown ?? isKnownBeforeResource)(value);
    case 'variable':
      return isSettled(scope.variableValue(value.name), scope);
    case 'is-set':
      return value.binding !== 'variable' || isSettled(scope.variableValue(value.name), scope);
    case 'bindings':
      return (
        value.of !== 'variables' ||
        scope.variablesBefore(value.before).every((name) => isSettled(scope.variableValue(name), scope))
      );
    case 'local':
      return bound.has(value.name);
    case 'macro': {
      const inner = new Set([...bound, ...value.variables]);
      return (
        isSettled(value.range, scope, bound) &&
        [value.predicate, value.body].every((part) => part === undefined || isSettled(part, scope, inner))
      );
    }
    case 'literal':
    case 'constant':
    case 'global':
    case 'select':
    case 'optional-select':
    case 'has':
    case 'index':
    case 'optional-index':
    case 'operator':
    case 'call':
    case 'list':
    case 'map':
    case 'type-name':
      return parts(value).every((part) => isSettled(part, scope, bound));
  }
}

/** The kind and scope of a resource are known. */
function isKnownBeforeResource(value: Value & { readonly kind: 'field' | 'part' }): boolean {
  if (value.kind === 'part') return value.part === 'principal' || value.part === 'auxData';
  const { of, name } = value;
  if (of === 'runtime') return false;
  return of !== 'resource' || name === 'kind' || name === 'scope';
}
