import type { FilePlace } from '../../../runtime/engine/parts.js';
import { matchesAny } from '../../../runtime/policy/index.js';
import type { Clause, ClausedCondition } from '../../analysis/coverage/clauses.js';
import type { RuleRecord, Sight } from '../../analysis/coverage/rule-record.js';
import { type Formula, not } from '../../analysis/formula/formula.js';
import { listValues } from '../../../compiler/ir/visit.js';
import { readsRuntime } from '../../../compiler/lower/rules.js';
import { decidesFormula, hasValueFormula, holdsFormula } from './clause-formulas.js';
import {
  decides,
  distance,
  distanceToActive,
  distanceToApplies,
  distanceToDecisive,
} from '../../analysis/sampler/distance.js';

/** Something that no test exercises yet. */
export interface Goal {
  readonly record: RuleRecord;
  readonly place: FilePlace;
  /** What a test of it shows: `audience, visibility is "friends"`. */
  readonly text: string;
  /** Whether the decisions that are recorded show it. */
  readonly isMet: () => boolean;
  /** Whether a decision shows it. */
  readonly isMetBy: (sight: Sight) => boolean;
  /** How many clauses would have to turn until a decision shows it well: without failures, by an active derived role. */
  readonly distance: (sight: Sight) => number;
  /** When a decision of the rule shows it, or more often; undefined if that is not known. */
  readonly formula?: () => Formula;
  /** The goal instead, if no request shows this one. */
  readonly otherwise?: Goal;
}

/** What the recorded decisions do not exercise of a rule: its clauses, then the rule as a whole, then its names. */
export function listGoals(record: RuleRecord): readonly Goal[] {
  const { rule: key, names, place } = record.coverage();
  const name = key.slice(key.indexOf('#') + 1);
  const { condition } = record;
  const clauses = condition?.clauses ?? [];
  const isDerivedRole = record.module.kind === 'derived-roles';
  return [
    ...clauses.flatMap((_, index) =>
      [true, false].map((isTrue) => clauseGoal(record, condition as ClausedCondition, { index, isTrue, name })),
    ),
    {
      record,
      place,
      text: `${name} ${isDerivedRole ? 'is active' : 'applies'}`,
      isMet: () => record.coverage().applied > 0,
      isMetBy: ({ applies }: Sight) => applies,
      distance: distanceToApplies,
      ...(condition && !readsRoles(record) && { formula: () => appliesFormula(record, condition) }),
    },
    ...names.map(({ kind, text }): Goal => {
      const matches = matchesAny(text);
      const isNamed = ({ action, role }: Sight): boolean => matches(kind === 'action' ? action : role);
      return {
        record,
        place,
        text: `${name}, ${kind} ${text}`,
        isMet: () => record.coverage().names.some((own) => own.kind === kind && own.text === text && own.matched > 0),
        isMetBy: isNamed,
        distance: (sight) => (isNamed(sight) ? distanceToApplies(sight) : Infinity),
      };
    }),
  ].filter(({ isMet }) => !isMet());
}

/** That a clause decides; if it cannot, that it has the value. */
function clauseGoal(
  record: RuleRecord,
  condition: ClausedCondition,
  { index, isTrue, name }: { readonly index: number; readonly isTrue: boolean; readonly name: string },
): Goal {
  const { formula, clauses } = condition;
  const clause = clauses[index] as Clause;
  const isKnown = !readsRoles(record);
  const wanted = { clause: index, isTrue };
  const common = { record, place: clause.place, text: `${name}, ${clauseText(clause.text, isTrue)}` };
  return {
    ...common,
    isMet: () => record.decides(index, isTrue),
    isMetBy: ({ vector }) => decides(formula, vector, wanted),
    distance: (sight) => distanceToDecisive(formula, sight.vector, wanted) + distanceToActive(sight),
    ...(isKnown && { formula: () => decidesFormula(condition, record.module, wanted) }),
    otherwise: {
      ...common,
      isMet: () => record.hasSeen(index, isTrue),
      isMetBy: ({ vector }) => (vector[index] === true) === isTrue,
      distance: ({ vector }) => distance({ kind: 'clause', clause: index }, vector, isTrue),
      ...(isKnown && { formula: () => hasValueFormula(condition, record.module, wanted) }),
    },
  };
}

/** When the condition of a rule makes it apply. */
function appliesFormula({ module, rule }: RuleRecord, condition: ClausedCondition): Formula {
  const holds = holdsFormula(condition, module);
  return 'inverted' in rule && rule.inverted ? not(holds) : holds;
}

/** Whether a condition reads which derived roles are active, which formulas of one rule do not know. */
function readsRoles({ module, rule }: RuleRecord): boolean {
  return readsRuntime([...listValues(rule.condition), ...module.variables.map(({ value }) => value)]);
}

/** `visibility is "friends"`, `R.attr.days <= 30 is false`. */
function clauseText(text: string, isTrue: boolean): string {
  const [, name, operator, value] = COMPARISON.exec(text) ?? [];
  if (name === undefined) return `${text.replaceAll(/\s*\n\s*/g, ' ')} is ${isTrue}`;
  return `${name} is ${(operator === '==') === isTrue ? '' : 'not '}${value}`;
}

const COMPARISON =
  /^(?:P|R|request\.principal|request\.resource)\.attr\.([\w.]+) *(==|!=) *("[^"\\]*"|'[^'\\]*'|-?\d[\d.]*|true|false)$/;
