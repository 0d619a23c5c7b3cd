import { considerPlan } from './considered-plan.js';
import type { EffectivePolicy } from './effective-policies.js';
import { type Engine, PolicyEngine } from './engine.js';
import type { EvaluationError } from './evaluation-errors.js';
import { Journal } from './journal.js';
import { type EngineOptions, type Settings, settingsOf } from './options.js';
import type { PlanRequest } from './plan-request.js';
import type { CompiledBundle } from './compiled-bundle.js';
import { Registry } from './registry.js';
import type { CheckRequest } from './requests.js';
import { visitRules } from './visit-rules.js';

/** An engine that can tell, after an answer, how it came about: for logs, audit and the command line. */
export interface AuditedEngine extends Engine {
  /**
   * What could not be evaluated on the way to the decisions about a request, or to its plan: each pair of expression
   * and message once, sorted by them (docs/spec/conditions.md#evaluation-errors). A check of several resources is asked
   * about as a whole; ask with one resource to know of it alone. Decides again, with the traced conditions: not for the
   * way of an answer. Empty when the engine was made without `traced`. Where that would cost more than `limits` allows,
   * an error without an expression says so.
   */
  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[];
  /**
   * The policies whose rules were considered for a request or a plan, sorted by name
   * (docs/spec/server.md#decision-entries); asked like `evaluationErrors`.
   */
  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[];
  /**
   * Does something in which all calls share the limits of one: a request that takes many calls costs no more than one.
   */
  asOne<Result>(work: () => Result): Result;
}

/** As `createEngine`; apart from it, so that who does not audit does not carry it. */
export function createAuditedEngine(bundle: CompiledBundle, options: EngineOptions = {}): AuditedEngine {
  // A journal is written of every rule that is visited.
  const settings = settingsOf(options);
  const engine = new JournalingEngine({ visitRules, ...bundle }, settings);
  const limited = bundle.guard?.limited(engine, settings.limits) ?? engine;
  return {
    check: (request) => limited.check(request),
    isAllowed: (request) => limited.isAllowed(request),
    plan: (request) => limited.plan(request),
    evaluationErrors: (request) => engine.evaluationErrors(request),
    effectivePolicies: (request) => engine.effectivePolicies(request),
    asOne: (work) => (bundle.guard === undefined ? work() : bundle.guard.asOne(work, settings.limits)),
  };
}

class JournalingEngine extends PolicyEngine {
  /** Settings and registry of the engines that write journals; made when first asked for. */
  private journalists: { readonly settings: Settings; readonly registry: Registry } | undefined = undefined;

  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[] {
    return this.journalOf(request)?.evaluationErrors() ?? [];
  }

  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[] {
    return this.journalOf(request)?.effectivePolicies(this.settings.forJournals?.sources) ?? [];
  }

  /** Asks the policies once more, in an engine beside this one, which writes down what it meets. */
  private journalOf(request: CheckRequest | PlanRequest): Journal | undefined {
    const { forJournals } = this.settings;
    if (forJournals === undefined) return undefined;
    const settings = { ...this.settings, traced: forJournals };
    this.journalists ??= { settings, registry: new Registry(this.bundle, settings) };
    const { registry } = this.journalists;
    const journal = new Journal(this.settings.traced !== undefined);
    const ask = (): void => {
      if ('resources' in request)
        new PolicyEngine(this.bundle, settings, registry, journal).check({ ...request, includeMeta: true });
      else considerPlan(registry, settings, request, journal);
    };
    if (this.bundle.guard === undefined) ask();
    else if (!this.bundle.guard.runs(ask, settings.limits)) journal.isComplete = false;
    return journal;
  }
}
