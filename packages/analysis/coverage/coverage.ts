import type { AccessRequest, EngineOptions } from '../../../runtime/engine/index.js';
import type { Surveyor } from '../../../runtime/engine/parts.js';
import type { DerivedRole, Request, RoleRule, Rule } from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type * as ir from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import { makeBundle, type Origin, type ProgramBundle } from '../program/bundle.js';
import { type Survey, makeSurvey } from '../program/survey.js';
import { holdsFor } from './clauses.js';
import { type RuleCoverage, RuleRecord, type Sight } from './rule-record.js';

/** What tests exercised of a set of policies. Plain data: JSON. */
export interface Coverage {
  /** Files, sorted by path. */
  readonly files: readonly FileCoverage[];
  readonly total: CoverageTotals;
}

/** The coverage of the rules and derived roles of one file, in the order of the file. */
export interface FileCoverage {
  readonly file: string;
  readonly rules: readonly RuleCoverage[];
  readonly total: CoverageTotals;
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
export function toPercent({ covered, all }: Share): number {
  return all === 0 ? 100 : Math.floor((covered * 1000) / all) / 10;
}

/**
 * Records which rules and clauses decisions exercise. Every clause of every rule that the action and the roles reach is
 * evaluated, so neither the order of rules and operands nor the layout of files changes the result.
 */
export class CoverageRecorder {
  private readonly own: ProgramBundle;
  private readonly records = new Map<string, RuleRecord>();
  private readonly surveys = new Map<EngineOptions['clock'], Map<string, Survey>>();
  private readonly surveyor: Surveyor;
  private asked: AccessRequest | undefined = undefined;
  private sights: Sight[] = [];

  /** @param program before `optimise`, so that clauses are those of the author. */
  constructor(program: ir.Program) {
    this.own = makeBundle(fold(program));
    for (const origin of this.own.origins.values()) this.addRecord(origin);
    this.surveyor = {
      rule: (role, _policy, rule, request) => this.rule(role, rule, request),
      limits: (role, _policy, rules, request) => this.limits(role, rules, request),
    };
  }

  /** Records a decision. `options` are those of the engine that made it. */
  record(request: AccessRequest, options: EngineOptions): void {
    recordSights(this.observe(request, options));
  }

  /** What a decision exercises, without recording it. */
  observe(request: AccessRequest, options: EngineOptions): readonly Sight[] {
    this.asked = request;
    this.sights = [];
    this.surveyWith(options)(request);
    return this.sights;
  }

  /** Everything that is recorded, by place. */
  rules(): readonly RuleRecord[] {
    return [...this.records.values()].sort(
      ({ place: a }, { place: b }) =>
        (a.file === b.file ? 0 : a.file < b.file ? -1 : 1) || a.line - b.line || a.column - b.column,
    );
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
        return { file, rules: sorted, total: sumTotals(sorted) };
      });
    return { files, total: sumTotals(files.flatMap(({ rules }) => rules)) };
  }

  /** The globals differ between tests: one engine for each set of options. */
  private surveyWith(options: EngineOptions): Survey {
    const { clock, traced: _, ...rest } = options;
    const key = JSON.stringify(rest, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
    const surveys = this.surveys.get(clock) ?? new Map<string, Survey>();
    const survey = surveys.get(key) ?? makeSurvey(this.own, { ...options, ...(clock && { clock }) }, this.surveyor);
    this.surveys.set(clock, surveys.set(key, survey));
    return survey;
  }

  private rule(role: string, rule: Rule, request: Request): void {
    const through = rule.derivedRole && this.sight(rule.derivedRole, role, request);
    const own = this.sight(rule, role, request);
    const { inverted } = own.origin.rule as ir.Rule;
    const applies = (through?.applies ?? true) && own.holds !== inverted;
    if (through !== undefined) this.sights.push(through);
    this.sights.push({ ...own, applies, ...(through && { through }) });
  }

  /** A rule of a role policy applies where it allows: where its condition holds. */
  private limits(role: string, rules: readonly RoleRule[], request: Request): void {
    for (const rule of rules) this.sights.push(this.sight(rule, role, request));
  }

  private sight(rule: Rule | RoleRule | DerivedRole, role: string, request: Request): Sight {
    const { action } = this.asked as AccessRequest;
    const origin = this.findOrigin(rule);
    const record = this.addRecord(origin);
    const vector = record.condition?.vectorOf(request) ?? [];
    const holds = record.condition === undefined || holdsFor(record.condition.formula, vector);
    return { record, origin, action, role, request, vector, holds, applies: holds };
  }

  private findOrigin(rule: Rule | RoleRule | DerivedRole): Origin {
    return this.own.origins.get(rule) ?? invariant(`rule ${rule.name} is of another bundle`);
  }

  /** One authored rule is lowered to several, for its roles and for each derived role: they are counted as one. */
  private addRecord(origin: Origin): RuleRecord {
    const { module, rule } = origin;
    const key = `${module.key} ${rule.span.start}`;
    const record = this.records.get(key) ?? new RuleRecord(origin);
    record.addOrigin(origin);
    this.records.set(key, record);
    return record;
  }
}

/** Records what one decision exercises: several roles of a principal may reach a rule in it. */
export function recordSights(sights: readonly Sight[]): void {
  const byRecord = new Map<RuleRecord, Sight[]>();
  for (const sight of sights) {
    const own = byRecord.get(sight.record);
    if (own === undefined) byRecord.set(sight.record, [sight]);
    else own.push(sight);
  }
  for (const [record, own] of byRecord) record.add(own);
}

function sumTotals(rules: readonly RuleCoverage[]): CoverageTotals {
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
