import type { DerivedRole, Filters, PlannedCondition, RoleRule, Rule } from '../../../runtime/policy/index.js';
import { type Condition, type Term, Unknown } from '../../../runtime/residual/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { listValues } from '../../../compiler/ir/visit.js';
import { readsRuntime } from '../../../compiler/lower/rules.js';
import { and, type Formula, type Holds, type ListedRole, not, or } from '../formula/formula.js';
import type { Origin } from '../program/bundle.js';

/** Where one of some roles of the principal, or of their ancestors, is held. */
export type Reach = (parentRoles: ReadonlySet<string>) => Formula;

/**
 * The residuals of the conditions of a program, each of which is one unknown: a plan of them is the formula of a
 * decision.
 */
export class OpaqueResiduals {
  readonly filters: Filters;
  private readonly atoms = new Map<string, Atom>();

  constructor(origins: ReadonlyMap<Rule | RoleRule | DerivedRole, Origin>) {
    this.filters = [...origins].flatMap(([object, origin], index) => this.makeFilters(object, origin, index));
  }

  /** The formula of what a plan leaves. */
  toFormula(condition: Condition, reach: Reach): Formula {
    if (typeof condition === 'boolean') return condition;
    switch (condition.kind) {
      case 'and':
      case 'or': {
        const operands = flattened(condition.kind, condition.operands).map((operand) => this.toFormula(operand, reach));
        return condition.kind === 'and' ? and(...operands) : or(...operands);
      }
      case 'not':
        return not(this.toFormula(condition.operand, reach));
      case 'is':
        return this.formulaOfAtom(condition.term, reach);
      case 'unplannable':
        return invariant('an opaque residual is plannable');
    }
  }

  private formulaOfAtom({ node }: Unknown, reach: Reach): Formula {
    const { derivedRole, holds, list } =
      (node.kind === 'path' && this.atoms.get(node.root)) || invariant('a residual is one unknown');
    const held =
      holds === undefined || (list === undefined ? holds : { ...holds, derivedRoles: this.listedRoles(list, reach) });
    return derivedRole === undefined ? held : and(reach(derivedRole.parentRoles), held);
  }

  private listedRoles(list: Term, reach: Reach): readonly ListedRole[] {
    if (!(list instanceof Unknown)) return [];
    const { node } = list;
    if (node.kind !== 'roles') return invariant('the derived roles are a list');
    return node.roles.map(({ name, condition }) => ({ name, isActive: this.toFormula(condition, reach) }));
  }

  private makeFilters(object: Rule | RoleRule | DerivedRole, { module, rule }: Origin, index: number): Filters {
    const { condition } = rule;
    const holds = condition && ({ kind: 'holds', condition, module, failedIsNull: false } as const);
    const reads =
      condition !== undefined &&
      readsRuntime([...listValues(condition), ...module.variables.map(({ value }) => value)]);
    const residual: PlannedCondition = (query, algebra) =>
      algebra.holds(
        this.unknown(`${index}`, { holds, list: reads ? query.derivedRoles : undefined, derivedRole: undefined }),
      );
    const inverted = 'inverted' in rule && rule.inverted;
    const own: PlannedCondition = inverted ? (query, algebra) => algebra.not(residual(query, algebra)) : residual;
    if (!('parentRoles' in object)) return holds === undefined ? [] : [[object, own]];
    const listed: PlannedCondition = (query, algebra) =>
      algebra.holds(
        this.unknown(`listed ${index}`, {
          holds: holds && { ...holds, failedIsNull: true },
          list: reads ? query.derivedRoles : undefined,
          derivedRole: object,
        }),
      );
    return [[object, own, listed]];
  }

  private unknown(name: string, atom: Atom): Unknown {
    // The same condition with another list is another unknown.
    const root = atom.list === undefined ? name : `${name} ${this.atoms.size}`;
    if (!this.atoms.has(root)) this.atoms.set(root, atom);
    return new Unknown({ kind: 'path', root, fields: [] }, 'bool');
  }
}

/** What an unknown stands for. */
interface Atom {
  /** Undefined if there is no condition. */
  readonly holds: Holds | undefined;
  /** The derived roles that the condition sees; undefined if it does not read them. */
  readonly list: Term | undefined;
  /** The derived role that is listed: it is only active for its parent roles. */
  readonly derivedRole: DerivedRole | undefined;
}

/** The operands of a junction and of those of its kind below it, which plans nest one in another. */
function flattened(kind: 'and' | 'or', operands: readonly Condition[]): readonly Condition[] {
  const flat: Condition[] = [];
  const pending = [...operands].reverse();
  for (let operand = pending.pop(); operand !== undefined; operand = pending.pop()) {
    if (typeof operand === 'object' && operand.kind === kind) pending.push(...[...operand.operands].reverse());
    else flat.push(operand);
  }
  return flat;
}
