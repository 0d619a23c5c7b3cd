import type { Query } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import { and, type Formula, type Holds, type ListedRole } from '../formula/formula.js';
import { FormulaKeys } from '../formula/keys.js';
import type { PointDecisions } from './decisions.js';

/** What stands for the atoms of a formula while the principal is not known. */
export interface AtomConditions {
  /** Where a condition holds. Its derived roles are those of the query. */
  ofHolds(holds: Holds, query: Query): residual.Condition;
  /** Where the principal has a role of one of the classes that these names stand for. */
  ofRoles(roles: ReadonlySet<string>): residual.Condition;
}

/**
 * When an action is allowed to a principal whose roles are not known. The formula of a decision is exact, so the
 * condition is; roles that policies treat alike share a part of it.
 *
 * @param roles one name of each class of roles.
 */
export function conditionOfRoles(
  at: PointDecisions,
  roles: readonly string[],
  action: string,
  query: Query,
  atoms: AtomConditions,
): residual.Condition {
  const conditions = new FormulaConditions(query, atoms);
  return residual.anyOf(
    ...groupByDenials(at, roles, action).map(({ denials, alternatives }) =>
      residual.allOf(
        ...denials.map((denial) => conditions.of(denial)),
        residual.anyOf(
          ...alternatives.map(({ formula, roles: holding }) =>
            residual.allOf(atoms.ofRoles(holding), conditions.of(formula)),
          ),
        ),
      ),
    ),
  );
}

/** What is allowed to roles with the same denials, and to which of them. */
interface Group {
  readonly denials: readonly Formula[];
  readonly alternatives: readonly { readonly formula: Formula; readonly roles: Set<string> }[];
}

/** The formulas of roles, so that what several roles have in common is said once. */
function groupByDenials(at: PointDecisions, roles: readonly string[], action: string): readonly Group[] {
  const keys = new FormulaKeys();
  const groups = new Map<
    string,
    { denials: readonly Formula[]; alternatives: Map<number, Group['alternatives'][0]> }
  >();
  for (const role of roles) {
    const formula = at.ofRole(role, action);
    if (formula === false) continue;
    const parts = operandsOf('and', formula);
    const denials: readonly Formula[] = parts.filter((part) => typeof part === 'object' && part.kind === 'not');
    const key = denials
      .map((denial) => keys.of(denial))
      .sort((a, b) => a - b)
      .join();
    const group = groups.get(key) ?? { denials, alternatives: new Map() };
    groups.set(key, group);
    for (const alternative of operandsOf('or', and(...parts.filter((part) => !denials.includes(part))))) {
      const number = keys.of(alternative);
      const entry = group.alternatives.get(number) ?? { formula: alternative, roles: new Set<string>() };
      entry.roles.add(role);
      group.alternatives.set(number, entry);
    }
  }
  return [...groups.values()].map(({ denials, alternatives }) => ({
    denials,
    alternatives: [...alternatives.values()],
  }));
}

function operandsOf(kind: 'and' | 'or', formula: Formula): readonly Formula[] {
  return typeof formula === 'object' && formula.kind === kind
    ? formula.operands.flatMap((operand) => operandsOf(kind, operand))
    : [formula];
}

/** Formulas as conditions about a principal. */
class FormulaConditions {
  constructor(
    private readonly query: Query,
    private readonly atoms: AtomConditions,
  ) {}

  of(formula: Formula): residual.Condition {
    if (typeof formula === 'boolean') return formula;
    switch (formula.kind) {
      case 'and':
        return residual.allOf(...formula.operands.map((operand) => this.of(operand)));
      case 'or':
        return residual.anyOf(...formula.operands.map((operand) => this.of(operand)));
      case 'not':
        return residual.not(this.of(formula.operand));
      case 'role':
        return this.atoms.ofRoles(new Set([formula.role]));
      case 'holds': {
        const { derivedRoles } = formula;
        return this.atoms.ofHolds(
          formula,
          derivedRoles === undefined ? this.query : this.withDerivedRoles(derivedRoles),
        );
      }
    }
  }

  private withDerivedRoles(listed: readonly ListedRole[]): Query {
    const roles = listed.map(({ name, isActive }) => ({ name, condition: this.of(isActive) }));
    return Object.create(this.query, { derivedRoles: { value: residual.rolesOf(roles, true) } }) as Query;
  }
}
