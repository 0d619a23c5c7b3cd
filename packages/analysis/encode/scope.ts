import type { Module } from '../../../compiler/ir/program.js';
import type { Term } from './values.js';

/** Where an expression stands: what its names mean. */
export interface Scope {
  readonly module: Pick<Module, 'variables' | 'constants'>;
  /** A variable that fails reads as null. */
  readonly failedIsNull: boolean;
  /** `runtime.effectiveDerivedRoles`: each role that may be in it, and where it is, as terms of the sort Bool. */
  readonly derivedRoles: () => readonly { readonly name: string; readonly isActive: string }[];
  /** The variables of macros around it, and the scope outside of all macros. */
  readonly locals: ReadonlyMap<string, Term>;
  readonly outermost?: Scope;
}

/** The scope of the body of a macro: one with variables of its own. */
export function withLocals(scope: Scope, locals: readonly (readonly [string, Term])[]): Scope {
  return { ...scope, locals: new Map([...scope.locals, ...locals]), outermost: scope.outermost ?? scope };
}
