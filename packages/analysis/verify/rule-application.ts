import type { AccessRequest, EngineOptions } from '../../../runtime/engine/index.js';
import { type Attributes, type Instant, literalOrGlob, type Request } from '../../../runtime/policy/index.js';
import { listValues } from '../../../compiler/ir/visit.js';
import type * as ir from '../../../compiler/ir/program.js';
import { readsRuntime } from '../../../compiler/lower/rules.js';
import type { Decisions, PointDecisions } from '../decision/decisions.js';
import { and, type Formula, hasRole, or } from '../formula/formula.js';
import { makeBundle } from '../program/bundle.js';
import { holds, makeSurroundings } from '../program/conditions.js';
import { type Survey, makeSurvey } from '../program/survey.js';
import { configured, parseInstant } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';

/** The lowered parts of a DENY rule: one for its roles, and one for each of its derived roles. */
export interface DenyRule {
  readonly module: ir.ResourceModule | ir.PrincipalModule;
  readonly parts: readonly ir.Rule[];
}

/** The rule `resource.album.vdefault#locked` of a program; undefined if it has none. */
export function denyRule(name: string, { modules }: ir.Program): DenyRule | undefined {
  for (const module of modules) {
    if (module.kind !== 'resource' && module.kind !== 'principal') continue;
    const parts = module.rules.filter((rule) => `${module.key}#${rule.name}` === name && rule.written === 'deny');
    if (parts.length > 0) return { module, parts };
  }
  return undefined;
}

/**
 * When a rule applies: one of the roles reaches it and its conditions hold. A condition that reads `runtime` is taken to
 * hold, so more is proved than is asked.
 */
export function whenApplies(
  { module, parts }: DenyRule,
  { kind, action, roles }: { readonly kind: string; readonly action: string; readonly roles: readonly string[] },
  { lineages }: PointDecisions,
  modules: Decisions['modules'],
): Formula {
  const reaches = (role: string, rule: ir.Rule): boolean =>
    (lineages.get(role) ?? [role]).some((own) => isNamed(own, rule.roles));
  return or(
    ...parts
      .filter((rule) => isNamed(action, rule.actions) && isNamed(kind, [rule.resource ?? '*']))
      .map((rule) =>
        and(
          or(...roles.filter((role) => reaches(role, rule)).map(hasRole)),
          holding(findDefinition(rule, modules)),
          holding({ condition: rule.condition, module }),
        ),
      ),
  );
}

interface Conditional {
  readonly condition: ir.Match | undefined;
  readonly module: ir.Module;
}

function findDefinition({ derivedRole }: ir.Rule, modules: Decisions['modules']): Conditional | undefined {
  const module = derivedRole && modules.get(derivedRole.module);
  if (module?.kind !== 'derived-roles') return undefined;
  return { condition: module.definitions.find(({ name }) => name === derivedRole?.name)?.condition, module };
}

function holding(conditional: Conditional | undefined): Formula {
  if (conditional?.condition === undefined) return true;
  const { condition, module } = conditional;
  const values = [...listValues(condition), ...module.variables.map(({ value }) => value)];
  return readsRuntime(values) || { kind: 'holds', condition, module, failedIsNull: false };
}

function isNamed(name: string, texts: readonly string[]): boolean {
  return texts.some((text) => text === '*' || literalOrGlob(text)(name));
}

/** Finds out which rules apply to concrete requests. */
export class RuleApplications {
  private readonly applied = new Set<ir.Rule>();
  private readonly bundle;
  private readonly surveys = new Map<string, Survey>();
  private now: Instant | undefined;

  constructor(
    program: ir.Program,
    private readonly options: EngineOptions,
  ) {
    this.bundle = makeBundle(program);
  }

  /** Whether a rule applies to a request, whatever other rules decide. */
  applies({ parts }: DenyRule, { request, globals, now }: Situation): boolean {
    this.applied.clear();
    this.now = parseInstant(now);
    this.survey(globals)(request);
    return parts.some((rule) => this.applied.has(rule));
  }

  private survey(globals: Attributes): (request: AccessRequest) => boolean {
    const key = this.options.globals === undefined ? JSON.stringify(globals) : '';
    const known = this.surveys.get(key) ?? this.newSurvey(this.options.globals ?? (configured(globals) as Attributes));
    if (this.surveys.size < MOST_SURVEYS) this.surveys.set(key, known);
    return known;
  }

  private newSurvey(globals: Attributes): Survey {
    const { origins } = this.bundle;
    const isTrue = (made: object | undefined, request: Request): boolean => {
      const origin = made && origins.get(made as Parameters<typeof origins.get>[0]);
      const condition = origin?.rule.condition;
      return (
        origin === undefined || condition === undefined || holds(condition, makeSurroundings(origin.module, request))
      );
    };
    const clock = (): Instant => this.now as Instant;
    return makeSurvey(
      this.bundle,
      { ...this.options, globals, clock },
      {
        rule: (_role, _policy, rule, request) => {
          const origin = origins.get(rule);
          if (origin?.module.kind !== 'resource' && origin?.module.kind !== 'principal') return;
          if (isTrue(rule.derivedRole, request) && isTrue(rule, request)) this.applied.add(origin.rule as ir.Rule);
        },
        limits: () => {},
      },
    );
  }
}

const MOST_SURVEYS = 100;
