import type * as ir from '../../../compiler/ir/program.js';

/**
 * When a request is allowed, or anything else that two sets of policies are asked about. The atoms are conditions as a
 * whole and roles of the principal, so a formula is exact: it is true for a request if and only if what it describes is.
 */
export type Formula =
  | boolean
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Formula[] }
  | { readonly kind: 'not'; readonly operand: Formula }
  | Holds
  | HasRole;

/** That a condition of a rule, a derived role or a role policy holds. It does not where it cannot be evaluated. */
export interface Holds {
  readonly kind: 'holds';
  readonly condition: ir.Match;
  /** The module of the condition, with its variables and constants. */
  readonly module: ir.Module;
  /**
   * Whether a variable that fails reads as null, as in conditions of derived roles while these are listed
   * (docs/spec/policy-language.md#evaluating-variables).
   */
  readonly failedIsNull: boolean;
  /**
   * What the condition reads as `runtime.effectiveDerivedRoles`, sorted by name; absent if it does not read `runtime`.
   * Atoms with lists of different content are different atoms.
   */
  readonly derivedRoles?: readonly ListedRole[];
}

/** A derived role that may be in the list that a condition reads. */
export interface ListedRole {
  readonly name: string;
  /** Where it is in the list. */
  readonly isActive: Formula;
}

/** That the principal has a role. The role stands for its class: all roles that every policy treats as it treats this one. */
export interface HasRole {
  readonly kind: 'role';
  readonly role: string;
}

/** That the principal has a role, or one of its class. */
export function hasRole(role: string): HasRole {
  return { kind: 'role', role };
}

/** The conjunction of formulas, without constants. */
export function and(...operands: readonly Formula[]): Formula {
  return junction('and', operands);
}

/** The disjunction of formulas, without constants. */
export function or(...operands: readonly Formula[]): Formula {
  return junction('or', operands);
}

/** The negation of a formula. */
export function not(operand: Formula): Formula {
  if (typeof operand === 'boolean') return !operand;
  return operand.kind === 'not' ? operand.operand : { kind: 'not', operand };
}

/** A formula for a principal whose roles are known. */
export function withRoles(formula: Formula, hasRole: (role: string) => boolean): Formula {
  const known = new Map<Formula, Formula>();
  const replaced = (part: Formula): Formula => {
    if (typeof part === 'boolean') return part;
    const before = known.get(part);
    if (before !== undefined) return before;
    const after = replacedParts(part);
    known.set(part, after);
    return after;
  };
  const replacedParts = (part: Exclude<Formula, boolean>): Formula => {
    switch (part.kind) {
      case 'and':
      case 'or':
        return junction(part.kind, part.operands.map(replaced));
      case 'not':
        return not(replaced(part.operand));
      case 'role':
        return hasRole(part.role);
      case 'holds': {
        const { derivedRoles } = part;
        if (derivedRoles === undefined) return part;
        return {
          ...part,
          derivedRoles: derivedRoles.map(({ name, isActive }) => ({ name, isActive: replaced(isActive) })),
        };
      }
    }
  };
  return replaced(formula);
}

function junction(kind: 'and' | 'or', operands: readonly Formula[]): Formula {
  const absorbing = kind === 'or';
  if (operands.includes(absorbing)) return absorbing;
  const left = operands.filter((operand) => operand !== !absorbing);
  if (left.length === 0) return !absorbing;
  return left.length === 1 ? (left[0] as Formula) : { kind, operands: left };
}
