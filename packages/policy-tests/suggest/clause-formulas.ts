import type { Match, Module } from '../../../compiler/ir/program.js';
import { bool } from '../../cel/library/types.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { ClausedCondition, Formula as ClauseFormula } from '../../analysis/coverage/clauses.js';
import { and, type Formula, not, or } from '../../analysis/formula/formula.js';
import type { Decisive } from '../../analysis/sampler/distance.js';

/** When something is true, and when it is false; where it fails it is neither. */
interface Truth {
  readonly isTrue: Formula;
  readonly isFalse: Formula;
}

const TRUE: Truth = { isTrue: true, isFalse: false };
const FALSE: Truth = { isTrue: false, isFalse: true };
const FAILED: Truth = { isTrue: false, isFalse: false };

/** When a clause has a truth value. One that fails is not true. */
export function hasValueFormula(
  { conditions }: ClausedCondition,
  module: Module,
  { clause, isTrue }: Decisive,
): Formula {
  const own = findTruth(conditions[clause] as Match, module).isTrue;
  return isTrue ? own : not(own);
}

/** When a clause decides with a truth value: `decides` of requests. */
export function decidesFormula(condition: ClausedCondition, module: Module, { clause, isTrue }: Decisive): Formula {
  const own = findTruth(condition.conditions[clause] as Match, module);
  const holdsWith = (value: Truth): Formula =>
    truthFor(condition, module, (index) => (index === clause ? value : undefined)).isTrue;
  const [whenTrue, whenFalse] = [holdsWith(TRUE), holdsWith(FALSE)];
  if (isTrue) return and(own.isTrue, differ(whenTrue, whenFalse));
  return or(
    and(own.isFalse, differ(whenTrue, whenFalse)),
    and(not(own.isTrue), not(own.isFalse), differ(whenTrue, holdsWith(FAILED))),
  );
}

/** When a condition holds. */
export function holdsFormula(condition: ClausedCondition, module: Module): Formula {
  return truthFor(condition, module, () => undefined).isTrue;
}

function differ(one: Formula, other: Formula): Formula {
  return or(and(one, not(other)), and(other, not(one)));
}

function findTruth(condition: Match, module: Module): Truth {
  if (condition.kind !== 'expr') throw invariant('a clause is an expression');
  const holds = (match: Match): Formula => ({ kind: 'holds', condition: match, module, failedIsNull: false });
  const value = { kind: 'operator', operator: 'not', operands: [condition.value], type: bool } as const;
  return { isTrue: holds(condition), isFalse: holds({ ...condition, value }) };
}

/** @param given the truth values of clauses that are not their own. */
function truthFor(
  { formula, conditions }: ClausedCondition,
  module: Module,
  given: (clause: number) => Truth | undefined,
): Truth {
  const certain = (isTrue: Formula): Truth => ({ isTrue, isFalse: not(isTrue) });
  const visit = (part: ClauseFormula): Truth => {
    if (part.kind === 'clause') return given(part.clause) ?? findTruth(conditions[part.clause] as Match, module);
    const of = part.of.map(visit);
    const [trues, falses] = [of.map(({ isTrue }) => isTrue), of.map(({ isFalse }) => isFalse)];
    const [first, second, third] = of as [Truth, Truth, Truth];
    switch (part.kind) {
      case 'all':
        return certain(and(...trues));
      case 'any':
        return certain(or(...trues));
      case 'none':
        return certain(not(or(...trues)));
      case 'and':
        return { isTrue: and(...trues), isFalse: or(...falses) };
      case 'or':
        return { isTrue: or(...trues), isFalse: and(...falses) };
      case 'not':
        return { isTrue: first.isFalse, isFalse: first.isTrue };
      case 'conditional':
        return {
          isTrue: or(and(first.isTrue, second.isTrue), and(first.isFalse, third.isTrue)),
          isFalse: or(and(first.isTrue, second.isFalse), and(first.isFalse, third.isFalse)),
        };
    }
  };
  return visit(formula);
}
