import type { AskedActions } from '../../../compiler/tables/row-security.js';
import type { Operand } from '../../../runtime/residual/operand.js';
import { classesAt } from '../decision/classes.js';
import type { Decisions } from '../decision/decisions.js';
import { DiagramTooLarge, Diagrams, FALSE } from '../formula/bdd.js';
import { and, type Formula, or } from '../formula/formula.js';
import { FormulaDiagrams } from '../formula/formula-diagram.js';
import { pointsIn } from './decision.js';
import { listPlaces, type TablePlace } from './scopes.js';

/**
 * Whether an index finds the rows of some principals and not those of others, who see every row: then no index answers
 * any of them.
 */
export function isWithoutIndex(condition: Operand): boolean {
  const parts = listParts('and', condition);
  if (parts.some(isFound)) return false;
  return parts.some((part) => {
    const arms = listParts('or', part);
    return arms.some(isFound) && arms.some((arm) => !readsRow(arm));
  });
}

/** Whether an index on a column can find the rows of a condition. */
function isFound(condition: Operand): boolean {
  if (!('expression' in condition)) return false;
  const { operator, operands } = condition.expression;
  if (operator === 'and') return operands.some(isFound);
  if (operator === 'or') return operands.every(isFound);
  return FINDING.has(operator) && operands.some(readsRow);
}

/** Operators that an index answers. */
const FINDING: ReadonlySet<string> = new Set([
  'eq',
  'in',
  'lt',
  'le',
  'gt',
  'ge',
  'startsWith',
  'exists',
  'hasIntersection',
]);

function readsRow(operand: Operand): boolean {
  if ('variable' in operand) return operand.variable.startsWith('request.resource.');
  return 'expression' in operand && operand.expression.operands.some(readsRow);
}

/** The operands of a conjunction or disjunction, however it is nested; any other operand is one alone. */
export function listParts(operator: 'and' | 'or', operand: Operand): readonly Operand[] {
  return 'expression' in operand && operand.expression.operator === operator
    ? operand.expression.operands.flatMap((part) => listParts(operator, part))
    : [operand];
}

/** Nodes of a diagram, after which a proof is given up. */
const MOST_NODES = 20_000;

/** Whether it is proved that a principal that may do some actions with a row may do others with it, too. */
export function isImplied(decisions: Decisions, place: TablePlace, one: AskedActions, other: AskedActions): boolean {
  const diagrams = new Diagrams(MOST_NODES);
  const formulas = new FormulaDiagrams(diagrams);
  try {
    return listPlaces(decisions, place).every((own) =>
      pointsIn(decisions, own).every((point) => {
        const { roles } = classesAt(point, [decisions.at(point, [])]);
        const names = [...roles.named, ...roles.others];
        const at = decisions.at(point, names);
        const allowed = (asked: AskedActions, role: string): Formula =>
          (asked.of === 'any' ? or : and)(...asked.actions.map((action) => at.ofRole(role, action)));
        return names.every((role) => {
          const [before, after] = [formulas.of(allowed(one, role)), formulas.of(allowed(other, role))];
          return diagrams.and(before, diagrams.not(after)) === FALSE;
        });
      }),
    );
  } catch (error) {
    if (error instanceof DiagramTooLarge) return false;
    throw error;
  }
}
