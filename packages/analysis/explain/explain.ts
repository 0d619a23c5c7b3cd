import {
  type AccessRequest,
  type CheckRequest,
  type CompiledBundle,
  createEngine,
  type Engine,
  type EngineOptions,
  EvaluationLimitError,
} from '../../../runtime/engine/index.js';
import {
  computedRoles,
  type ConditionTree,
  type DecidingRule,
  type ExplainedDerivedRole,
  type ExplainedRule,
  type Explainer,
  type Explanation,
  type NearMisses,
  type SearchOptions,
  type Step,
  type Surveyor,
  type Verdict,
} from '../../../runtime/engine/parts.js';
import {
  ALLOW,
  type Instant,
  matchesAny,
  type Request,
  type RoleRule,
  type Rule,
  sanitize,
} from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type * as ir from '../../../compiler/ir/program.js';
import { makeBundle, type Origin, type ProgramBundle } from '../program/bundle.js';
import { makeSurroundings } from '../program/conditions.js';
import { makeSurvey } from '../program/survey.js';
import { CandidateCollector, type Candidates } from '../candidates/candidates.js';
import { evaluateAll } from '../program/results.js';
import { conditionTree, judgeTree } from './condition-tree.js';
import { nearMisses } from '../candidates/near-misses.js';
import { placeAt } from '../program/place.js';
import { sampleChanges } from './sampled-changes.js';
import { unreachedReason } from './unreached.js';

/**
 * An engine that explains the decisions of a program.
 *
 * @param program with folded literals, but before `optimise`, so that conditions are those of the author.
 * @param policies the bundle that the program was compiled to, if there is one: it decides faster, and can plan. Strict
 * evaluation then needs its `traced`.
 */
export function makeExplainer(program: ir.Program, options: EngineOptions = {}, policies?: CompiledBundle): Explainer {
  // A decision, its explanation and its near misses are of one time.
  let now: Instant | undefined;
  const clock = (): Instant => now ?? (options.clock ?? currentInstant)();
  const own = makeBundle(program);
  const create = (use: EngineOptions['use'] = []): Engine =>
    policies === undefined
      ? createEngine(own.bundle, { ...options, clock, traced: own.traced, use })
      : createEngine(policies, { ...options, clock, use });
  const engine = create(options.use);
  // Requests to explain may have the roles that those of a tenant stand for, which may be none.
  const explaining = create([...(options.use ?? []), computedRoles]);
  const journal = new Journal(own, options.strictEvaluation === true);
  const survey = makeSurvey(own, { ...options, clock }, journal);
  const isSurveyed = (request: AccessRequest): boolean => {
    journal.begin();
    return survey(request);
  };
  const searched = (request: AccessRequest, search: SearchOptions): NearMisses => {
    const roles = rolesNamed(program, request);
    // Conditions of rules for other roles tell what a principal with another role would need.
    const inAllRoles = { ...request.principal, roles: [...new Set([...request.principal.roles, ...roles])] };
    const isComplete = isSurveyed({ ...request, principal: inAllRoles });
    const candidates = journal.candidates();
    const isAllowed = (changed: AccessRequest): boolean => explaining.isAllowed(changed);
    const found = nearMisses(request, isAllowed, { candidates, roles }, search);
    const smallest = { ...found, isComplete: found.isComplete && isComplete };
    if (smallest.changes.length > 0 || search.near === 0) return smallest;
    const sampled = sampleChanges({ request, program, options: { ...options, clock }, isAllowed, roles }, search);
    return { ...smallest, changes: sampled.changes ? [sampled.changes] : [], sampled: sampled.requests };
  };
  const explained = (request: AccessRequest, search?: SearchOptions): Explanation => {
    if (!isSurveyed(request)) throw new EvaluationLimitError('cost');
    const { steps } = journal;
    const check = toCheck(request);
    const [result = invariant('a check has a result for each resource')] = explaining.check(check);
    const [decision = invariant('a check has a result for each action')] = result.actions;
    const effect = decision.effect === ALLOW ? 'ALLOW' : 'DENY';
    const { matchedPolicy, matchedScope } = decision;
    const { validationErrors } = result;
    const isRejected = options.schemaEnforcement === 'reject' && validationErrors.length > 0;
    const failed = isRejected ? undefined : failureIn(steps);
    return {
      decision: effect,
      matchedPolicy,
      matchedScope,
      decidedBy: isRejected ? [] : failed === undefined ? decidersIn(steps, effect, matchedScope) : [failed],
      ...(validationErrors.length > 0 && { validationErrors, isRejected }),
      steps,
      ...(steps.length === 0 && !isRejected && { unreached: unreachedReason(program, request, options) }),
      ...(search && { nearMisses: searched(request, search) }),
    };
  };
  return {
    explain(request, search) {
      now = { ...clock() };
      try {
        return explained(request, search);
      } finally {
        now = undefined;
      }
    },
    check: (request) => engine.check(request),
    isAllowed: (request) => engine.isAllowed(request),
    plan: (request) => engine.plan(request),
    for: (principal, principalOptions) => engine.for(principal, principalOptions),
  };
}

/** The time of the system clock, and the offset of its zone. */
export function currentInstant(): Instant {
  const milliseconds = Date.now();
  const seconds = Math.floor(milliseconds / 1000);
  const offset = -new Date(milliseconds).getTimezoneOffset();
  return { seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000, offset };
}

function toCheck({ principal, resource, action, auxData }: AccessRequest): CheckRequest {
  return { principal, auxData, resources: [{ resource, actions: [action] }] };
}

/** The roles that rules about an action name, and those with role policies, each once. */
function rolesNamed({ modules }: ir.Program, { action, resource }: AccessRequest): readonly string[] {
  const kind = sanitize(resource.kind);
  const roles = modules.flatMap((module) => {
    if (module.kind === 'role') return [module.role];
    if (module.kind !== 'resource' || module.kindName !== kind) return [];
    const rules = module.rules.filter(({ actions }) => matchesAny(...actions)(action));
    return rules.flatMap((rule) => rule.roles.filter((role) => !role.includes('*')));
  });
  return [...new Set(roles)];
}

/**
 * The rules with an effect that apply in a scope: those of principal policies, which decide first, or else the others.
 */
function decidersIn(steps: readonly Step[], effect: ExplainedRule['effect'], scope: string): readonly DecidingRule[] {
  const applied = steps.flatMap((step) => {
    if (step.scope !== scope || (effect === 'ALLOW' && step.needsConsent)) return [];
    return step.rules
      .filter((rule) => rule.result === 'applies' && rule.effect === effect)
      .map((rule) => ({ step, rule }));
  });
  const byName = applied.filter(({ step }) => step.role === undefined);
  const found = new Map(
    (byName.length > 0 ? byName : applied).map(({ step, rule }) => [
      `${step.policy}#${rule.name}:${rule.place.line}`,
      deciding(step, rule, 'applies'),
    ]),
  );
  return [...found.values()];
}

function deciding({ policy }: Step, { name, place }: ExplainedRule, result: DecidingRule['result']): DecidingRule {
  return { rule: `${policy}#${name}`, place, result };
}

/**
 * The rule whose failure ends the decision (docs/spec/policy-language.md#strict-evaluation): a failure counts only if
 * the rule is visited, so neither after a DENY of the same role, nor after what decides finally.
 */
function failureIn(steps: readonly Step[]): DecidingRule | undefined {
  for (const role of new Set(steps.map((step) => step.role))) {
    const end = findEnd(steps.filter((step) => step.role === role));
    if (typeof end === 'object') return end;
    if (end === 'ALLOW' || (end === 'DENY' && role === undefined)) return undefined;
  }
  return undefined;
}

/** How a walk of the scopes for one role ends. */
function findEnd(steps: readonly Step[]): 'ALLOW' | 'DENY' | DecidingRule | undefined {
  for (const step of steps) {
    if (step.isLimit && step.rules.length === 0) return 'DENY';
    for (const rule of step.rules) {
      if (rule.result === 'fails') return deciding(step, rule, 'fails');
      if (rule.result === 'applies' && rule.effect === 'DENY') return 'DENY';
    }
    if (!step.needsConsent && step.rules.some(({ result }) => result === 'applies')) return 'ALLOW';
  }
  return undefined;
}

/** The rules for all roles are repeated for each role of a principal that policies distinguish. */
const MOST_RULES = 20_000;

/**
 * Writes down which rules are reached, and evaluates their conditions. Throws an `EvaluationLimitError` if there are
 * too many.
 */
class Journal implements Surveyor {
  private taken: MutableStep[] = [];
  private rules = 0;
  private collector: CandidateCollector;

  constructor(
    private readonly own: ProgramBundle,
    private readonly isStrict: boolean,
  ) {
    this.collector = new CandidateCollector(isStrict);
  }

  begin(): void {
    this.taken = [];
    this.rules = 0;
    this.collector = new CandidateCollector(this.isStrict);
  }

  get steps(): readonly Step[] {
    return this.taken;
  }

  /** What the conditions of these steps compare. */
  candidates(): readonly Candidates[] {
    return this.collector.candidates();
  }

  rule(role: string, policy: string, rule: Rule, request: Request): void {
    this.count(1);
    const origin = this.findOrigin(rule);
    if (origin.module.kind !== 'resource' && origin.module.kind !== 'principal')
      throw invariant(`${policy} has no rules of this type`);
    const step = this.addStep(origin.module.kind === 'principal' ? undefined : role, policy, false);
    step.rules.push(this.explained(origin.module, origin.rule as ir.Rule, rule, request));
  }

  limits(role: string, policy: string, rules: readonly RoleRule[], request: Request): void {
    this.count(1 + rules.length);
    const step = this.addStep(role, policy, true);
    for (const rule of rules) {
      const { module, rule: from } = this.findOrigin(rule) as Origin & { readonly rule: ir.RoleRule };
      const condition = this.makeTree(from.condition, module, request);
      step.rules.push({
        name: from.name,
        place: placeAt(from.span),
        effect: 'DENY',
        inverted: true,
        result: toResult(this.judgeCondition(condition), true),
        ...(condition && { condition }),
      });
    }
  }

  private count(rules: number): void {
    this.rules += rules;
    if (this.rules > MOST_RULES) throw new EvaluationLimitError('cost');
  }

  private explained(module: ir.Module, from: ir.Rule, rule: Rule, request: Request): ExplainedRule {
    const derivedRole = rule.derivedRole && this.derivedRole(rule.derivedRole, request);
    const condition = this.makeTree(from.condition, module, request);
    const result = toResult(this.judgeCondition(condition), from.inverted);
    return {
      name: from.name,
      place: placeAt(from.span),
      effect: from.effect === 'allow' ? 'ALLOW' : 'DENY',
      inverted: from.inverted,
      result: derivedRole === undefined ? result : throughRole(this.judgeCondition(derivedRole.condition), result),
      ...(derivedRole && { derivedRole }),
      ...(condition && { condition }),
    };
  }

  private derivedRole(role: NonNullable<Rule['derivedRole']>, request: Request): ExplainedDerivedRole {
    const { module, rule } = this.findOrigin(role) as Origin & { readonly rule: ir.DerivedRole };
    const condition = this.makeTree(rule.condition, module, request);
    return {
      name: rule.name,
      place: placeAt(rule.span),
      isActive: this.judgeCondition(condition) === true,
      ...(condition && { condition }),
    };
  }

  /** Judges a condition; without one, the rule holds. */
  private judgeCondition(condition: ConditionTree | undefined): Verdict {
    return condition === undefined || judgeTree(condition, this.isStrict);
  }

  /** The step of a role and a policy: its rules come one after another. */
  private addStep(role: string | undefined, policy: string, isLimit: boolean): MutableStep {
    const last = this.taken.at(-1);
    if (last !== undefined && last.role === role && last.policy === policy) return last;
    const module = this.own.modules.get(policy) ?? invariant(`no policy ${policy}`);
    const scope = 'scope' in module ? module.scope : '';
    const needsConsent = 'overridesParent' in module && !module.overridesParent;
    const step: MutableStep = { role, policy, scope, needsConsent, isLimit, rules: [] };
    this.taken.push(step);
    return step;
  }

  private makeTree(condition: ir.Match | undefined, module: ir.Module, request: Request): ConditionTree | undefined {
    if (condition === undefined) return undefined;
    const results = evaluateAll(condition, (observe) => makeSurroundings(module, request, { observe }));
    this.collector.addCondition(condition, module, results);
    return conditionTree(condition, { module, results, isStrict: this.isStrict });
  }

  private findOrigin(rule: Rule | RoleRule | NonNullable<Rule['derivedRole']>): Origin {
    return this.own.origins.get(rule) ?? invariant(`rule ${rule.name} is of another bundle`);
  }
}

function toResult(verdict: Verdict, inverted: boolean): ExplainedRule['result'] {
  if (verdict === 'fails') return verdict;
  return verdict === inverted ? 'does not apply' : 'applies';
}

/** The derived role of a rule is evaluated first. */
function throughRole(verdict: Verdict, result: ExplainedRule['result']): ExplainedRule['result'] {
  if (verdict === 'fails') return verdict;
  return verdict ? result : 'not active';
}

type MutableStep = Omit<Step, 'rules'> & { readonly rules: ExplainedRule[] };
