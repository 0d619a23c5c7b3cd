import type { AccessRequest, EngineOptions } from '#runtime/engine';
import type { FilePlace, Surveyor } from '#runtime/parts';
import { type DerivedRole, matchesAny, type Request, type RoleRule, type Rule } from '#runtime/policy';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import type * as ir from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { placeAt } from '../explain/place.js';
import { bundleOf, type Origin, type ProgramBundle } from '../program/bundle.js';
import { type Survey, surveyOf } from '../program/survey.js';
import { type Clause, type ClausedCondition, clausedCondition, holdsFor, isDecisive, type Truth } from './clauses.js';

/** What tests exercised of a set of policies. Plain data: JSON. */
export interface Coverage {
  /** By path. */
  readonly files: readonly FileCoverage[];
  readonly total: CoverageTotals;
}

/** The coverage of the rules and derived roles of one file, in the order of the file. */
export interface FileCoverage {
  readonly file: string;
  readonly rules: readonly RuleCoverage[];
  readonly total: CoverageTotals;
}

/** A rule, a rule of a role policy, or a derived role. */
export interface RuleCoverage {
  /** `resource.album.vdefault#owners`. */
  readonly rule: string;
  readonly place: FilePlace;
  /** In how many decisions its action and role matched; of a derived role, a rule that names it. */
  readonly reached: number;
  /** In how many of them it applied; of a derived role, it was active. */
  readonly applied: number;
  /** Its actions, and its roles. Empty for derived roles. */
  readonly names: readonly NameCoverage[];
  readonly clauses: readonly ClauseCoverage[];
}

/** An action or a role as the rule names it. */
export interface NameCoverage {
  readonly kind: 'action' | 'role';
  readonly text: string;
  /** In how many decisions it matched. */
  readonly matched: number;
}

/** A clause of a condition. */
export interface ClauseCoverage extends Clause {
  /** In how many decisions it was true, false, and could not be evaluated. */
  readonly true: number;
  readonly false: number;
  readonly failed: number;
  /**
   * Whether two decisions show that it decides: it has another truth value in each, and with the other value alone the
   * condition would turn in each (MC/DC, masking).
   */
  readonly isDecisive: boolean;
}

/** Covered parts, and all. */
export interface CoverageTotals {
  /** Rules that applied, and rules. */
  readonly rules: Share;
  /** Truth values that clauses had, of two for each. One that fails is not true. */
  readonly clauses: Share;
  /** Clauses that were shown to decide. */
  readonly mcdc: Share;
}

export interface Share {
  readonly covered: number;
  readonly all: number;
}

/** Percent, rounded down to a tenth; nothing to cover is covered. */
export function percentOf({ covered, all }: Share): number {
  return all === 0 ? 100 : Math.floor((covered * 1000) / all) / 10;
}

/** Whether a clause was seen with both truth values. */
export function isCovered({ true: held, false: not, failed }: ClauseCoverage): boolean {
  return held > 0 && not + failed > 0;
}

/**
 * Records which rules and clauses decisions exercise. Every clause of every rule that the action and the roles reach is
 * evaluated, so neither the order of rules and operands nor the layout of files changes the result.
 */
export class CoverageRecorder {
  private readonly own: ProgramBundle;
  private readonly records = new Map<string, RuleRecord>();
  private readonly surveys = new Map<string, Survey>();
  private readonly surveyor: Surveyor;
  private asked: AccessRequest | undefined = undefined;

  /** @param program before `optimise`, so that clauses are those of the author. */
  constructor(program: ir.Program) {
    this.own = bundleOf(fold(program));
    for (const origin of this.own.origins.values()) this.recordOf(origin);
    this.surveyor = {
      rule: (role, _policy, rule, request) => this.rule(role, rule, request),
      limits: (role, _policy, rules, request) => this.limits(role, rules, request),
    };
  }

  /** Records a decision. `options` are those of the engine that made it. */
  record(request: AccessRequest, options: EngineOptions): void {
    this.asked = request;
    this.surveyWith(options)(request);
  }

  coverage(): Coverage {
    const byFile = new Map<string, RuleCoverage[]>();
    for (const record of this.records.values()) {
      const { file } = record.place;
      const listed = byFile.get(file) ?? [];
      byFile.set(file, listed);
      listed.push(record.coverage());
    }
    const files = [...byFile.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, rules]) => {
        const sorted = rules.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
        return { file, rules: sorted, total: totalsOf(sorted) };
      });
    return { files, total: totalsOf(files.flatMap(({ rules }) => rules)) };
  }

  /** The clock and the globals differ between tests: one engine for each set of options. */
  private surveyWith(options: EngineOptions): Survey {
    const { clock, traced: _, ...rest } = options;
    const key = JSON.stringify(rest, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
    const survey = this.surveys.get(key) ?? surveyOf(this.own, { ...options, ...(clock && { clock }) }, this.surveyor);
    this.surveys.set(key, survey);
    return survey;
  }

  private rule(role: string, rule: Rule, request: Request): void {
    const { action } = this.asked as AccessRequest;
    const record = this.recordOf(this.originOf(rule));
    const isActive = rule.derivedRole === undefined || this.derivedRole(rule.derivedRole, request);
    record.reach(action, role);
    const holds = record.see(request);
    const { inverted } = record.origin.rule as ir.Rule;
    if (isActive && holds !== inverted) record.applied += 1;
  }

  private derivedRole(role: DerivedRole, request: Request): boolean {
    const record = this.recordOf(this.originOf(role));
    record.reached += 1;
    const isActive = record.see(request);
    if (isActive) record.applied += 1;
    return isActive;
  }

  /** A rule of a role policy applies where it allows: where its condition holds. */
  private limits(role: string, rules: readonly RoleRule[], request: Request): void {
    const { action } = this.asked as AccessRequest;
    for (const rule of rules) {
      const record = this.recordOf(this.originOf(rule));
      record.reach(action, role);
      if (record.see(request)) record.applied += 1;
    }
  }

  private originOf(rule: Rule | RoleRule | DerivedRole): Origin {
    return this.own.origins.get(rule) ?? invariant(`rule ${rule.name} is of another bundle`);
  }

  /** One authored rule is lowered to several, for its roles and for each derived role: they are counted as one. */
  private recordOf(origin: Origin): RuleRecord {
    const { module, rule } = origin;
    const key = `${module.key} ${rule.span.start}`;
    const record = this.records.get(key) ?? new RuleRecord(origin);
    record.addNames(rule);
    this.records.set(key, record);
    return record;
  }
}

/** What is recorded of one rule. */
class RuleRecord {
  reached = 0;
  applied = 0;
  readonly place: FilePlace;
  private readonly names = new Map<string, { kind: 'action' | 'role'; text: string; matched: number }>();
  private readonly condition: ClausedCondition | undefined;
  /** Each vector once, with how often it was seen. */
  private readonly vectors = new Map<string, { readonly vector: readonly Truth[]; count: number }>();

  constructor(readonly origin: Origin) {
    const { module, rule } = origin;
    this.place = placeAt(rule.span as Span);
    this.condition = rule.condition && clausedCondition(rule.condition, module);
  }

  addNames(rule: Origin['rule']): void {
    if ('actions' in rule) this.add('action', rule.actions);
    if ('allowActions' in rule) this.add('action', rule.allowActions);
    // The roles of a derived role are its own.
    if ('roles' in rule && rule.derivedRole === undefined) this.add('role', rule.roles);
  }

  reach(action: string, role: string): void {
    this.reached += 1;
    for (const name of this.names.values()) {
      const text = name.kind === 'action' ? action : role;
      if (matchesAny(name.text)(text)) name.matched += 1;
    }
  }

  /** Evaluates the condition, and returns whether it holds. */
  see(request: Request): boolean {
    if (this.condition === undefined) return true;
    const vector = this.condition.vectorOf(request);
    const key = vector.join();
    const seen = this.vectors.get(key) ?? { vector, count: 0 };
    seen.count += 1;
    this.vectors.set(key, seen);
    return holdsFor(this.condition.formula, vector);
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
    const countOf = (truth: Truth): number =>
      seen.reduce((sum, { vector, count }) => (vector[index] === truth ? sum + count : sum), 0);
    const decides = (isTrue: boolean): boolean =>
      seen.some(
        ({ vector }) =>
          (vector[index] === true) === isTrue &&
          isDecisive((this.condition as ClausedCondition).formula, vector, index),
      );
    return {
      ...clause,
      true: countOf(true),
      false: countOf(false),
      failed: countOf('failed'),
      isDecisive: decides(true) && decides(false),
    };
  }

  private add(kind: 'action' | 'role', texts: readonly string[]): void {
    for (const text of texts) {
      const key = `${kind} ${text}`;
      if (!this.names.has(key)) this.names.set(key, { kind, text, matched: 0 });
    }
  }
}

function totalsOf(rules: readonly RuleCoverage[]): CoverageTotals {
  const clauses = rules.flatMap((rule) => rule.clauses);
  const count = <T>(of: readonly T[], test: (item: T) => boolean): number => of.filter(test).length;
  return {
    rules: { covered: count(rules, ({ applied }) => applied > 0), all: rules.length },
    clauses: {
      covered:
        count(clauses, (clause) => clause.true > 0) + count(clauses, (clause) => clause.false + clause.failed > 0),
      all: 2 * clauses.length,
    },
    mcdc: { covered: count(clauses, (clause) => clause.isDecisive), all: clauses.length },
  };
}
