import type { FilePlace } from '../../../runtime/engine/parts.js';
import { matchesAny, type Request } from '../../../runtime/policy/index.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import type { Module } from '../../../compiler/ir/program.js';
import { placeAt } from '../program/place.js';
import type { Origin } from '../program/bundle.js';
import { type Clause, type ClausedCondition, clausedCondition, isDecisive, type Truth } from './clauses.js';

/** A rule, a rule of a role policy, or a derived role. */
export interface RuleCoverage {
  /** `resource.album.vdefault#owners`. */
  readonly rule: string;
  readonly place: FilePlace;
  /** Number of decisions in which its action and role matched; for a derived role, those in which a rule named it. */
  readonly reached: number;
  /** Number of those in which it applied; for a derived role, those in which it was active. */
  readonly applied: number;
  /** Its actions, and its roles. Empty for derived roles. */
  readonly names: readonly NameCoverage[];
  readonly clauses: readonly ClauseCoverage[];
}

/** An action or a role as the rule names it. */
export interface NameCoverage {
  readonly kind: 'action' | 'role';
  readonly text: string;
  /** Number of decisions in which it matched. */
  readonly matched: number;
}

/** A clause of a condition. */
export interface ClauseCoverage extends Clause {
  /** Number of decisions in which it was true, false, and could not be evaluated. */
  readonly true: number;
  readonly false: number;
  readonly failed: number;
  /**
   * Whether two decisions show that it decides: it has another truth value in each, and with the other value alone the
   * condition would turn in each (MC/DC, masking).
   */
  readonly isDecisive: boolean;
}

/** Whether a clause was seen with both truth values. */
export function isCovered({ true: held, false: not, failed }: ClauseCoverage): boolean {
  return held > 0 && not + failed > 0;
}

/** What one decision exercises of a rule or a derived role. */
export interface Sight {
  readonly record: RuleRecord;
  /** The rule as lowered: one of those that are counted as one. */
  readonly origin: Origin;
  readonly action: string;
  readonly role: string;
  /** The request as its condition sees it. */
  readonly request: Request;
  /** The value of each clause. */
  readonly vector: readonly Truth[];
  /** Whether its condition holds. */
  readonly holds: boolean;
  /** Whether the rule applies; whether the derived role is active. */
  readonly applies: boolean;
  /** The derived role that the rule names. */
  readonly through?: Sight;
}

/** What is recorded of one rule. */
export class RuleRecord {
  private reached = 0;
  private applied = 0;
  readonly place: FilePlace;
  private readonly names = new Map<string, { kind: 'action' | 'role'; text: string; matched: number }>();
  readonly condition: ClausedCondition | undefined;
  /** Each vector once, with how often it was seen. */
  private readonly vectors = new Map<string, { readonly vector: readonly Truth[]; count: number }>();

  /** The rules that it was lowered to. */
  readonly origins = new Set<Origin>();

  constructor(private readonly origin: Origin) {
    const { module, rule } = origin;
    this.place = placeAt(rule.span as Span);
    this.condition = rule.condition && clausedCondition(rule.condition, module);
  }

  addOrigin(origin: Origin): void {
    const { rule } = origin;
    this.origins.add(origin);
    if ('actions' in rule) this.addTexts('action', rule.actions);
    if ('allowActions' in rule) this.addTexts('action', rule.allowActions);
    // The roles of a derived role are its own.
    if ('roles' in rule && rule.derivedRole === undefined) this.addTexts('role', rule.roles);
  }

  /** Records a decision that reaches it: once, also if several roles do. */
  add(sights: readonly Sight[]): void {
    this.reached += 1;
    if (sights.some(({ applies }) => applies)) this.applied += 1;
    for (const name of this.names.values()) {
      const matches = matchesAny(name.text);
      if (sights.some(({ action, role }) => matches(name.kind === 'action' ? action : role))) name.matched += 1;
    }
    if (this.condition === undefined) return;
    for (const [key, vector] of new Map(sights.map((sight) => [sight.vector.join(), sight.vector]))) {
      const seen = this.vectors.get(key) ?? { vector, count: 0 };
      seen.count += 1;
      this.vectors.set(key, seen);
    }
  }

  /** Whether a decision shows that a clause decides with a truth value. */
  decides(clause: number, isTrue: boolean): boolean {
    const { condition } = this;
    return [...this.vectors.values()].some(
      ({ vector }) =>
        (vector[clause] === true) === isTrue &&
        condition !== undefined &&
        isDecisive(condition.formula, vector, clause),
    );
  }

  /** Whether a clause had a truth value. */
  hasSeen(clause: number, isTrue: boolean): boolean {
    return [...this.vectors.values()].some(({ vector }) => (vector[clause] === true) === isTrue);
  }

  /** The policy that it belongs to. */
  get module(): Module {
    return this.origin.module;
  }

  /** The first of those that it was lowered to. */
  get rule(): Origin['rule'] {
    return this.origin.rule;
  }

  coverage(): RuleCoverage {
    const { module, rule } = this.origin;
    return {
      rule: `${module.key}#${rule.name}`,
      place: this.place,
      reached: this.reached,
      applied: this.applied,
      names: [...this.names.values()],
      clauses: (this.condition?.clauses ?? []).map((clause, index) => this.clauseCoverage(clause, index)),
    };
  }

  private clauseCoverage(clause: Clause, index: number): ClauseCoverage {
    const seen = [...this.vectors.values()];
    const countVectors = (truth: Truth): number =>
      seen.reduce((sum, { vector, count }) => (vector[index] === truth ? sum + count : sum), 0);
    return {
      ...clause,
      true: countVectors(true),
      false: countVectors(false),
      failed: countVectors('failed'),
      isDecisive: this.decides(index, true) && this.decides(index, false),
    };
  }

  private addTexts(kind: 'action' | 'role', texts: readonly string[]): void {
    for (const text of texts) {
      const key = `${kind} ${text}`;
      if (!this.names.has(key)) this.names.set(key, { kind, text, matched: 0 });
    }
  }
}
