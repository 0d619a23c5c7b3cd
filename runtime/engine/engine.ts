import { ALLOW, DENY, type PolicyBundle, policyKey } from '../policy/index.js';
import { check } from './check.js';
import { considerPlan } from './considered-plan.js';
import type { EffectivePolicy } from './effective-policies.js';
import { Evaluation } from './evaluation.js';
import type { EvaluationError } from './evaluation-errors.js';
import { Journal } from './journal.js';
import { type EngineOptions, type Settings, settingsOf } from './options.js';
import { type PlanRequest, type PlanResult, planResources } from './plan-resources.js';
import { Registry } from './registry.js';
import type {
  AccessRequest,
  ActionDecision,
  AuxDataInput,
  CheckRequest,
  CheckResult,
  PrincipalInput,
  ResourceActions,
  ResourceInput,
  ValidationError,
} from './requests.js';
import { validationErrors } from './schemas.js';
import { requestedScope } from './scope-chain.js';

/** Decides. Not re-entrant: a condition must not call the engine that asks it. */
export interface Engine {
  /** One result for each resource of the request, in its order (policy-language.md 11). Never throws for what a policy does: that denies. */
  check(request: CheckRequest): readonly CheckResult[];
  /** On which resources the actions are allowed, before there are any: selects exactly the rows that `check` allows (planner.md). Never throws. */
  plan(request: PlanRequest): PlanResult;
  /** Whether one action is allowed: the decision `check` makes, and nothing else of it. Allocates nothing. */
  isAllowed(request: AccessRequest): boolean;
  /**
   * What could not be evaluated on the way to the decisions about a request, or to its plan: each pair of expression and message once, sorted by
   * them (conditions.md 5.6). A check of several resources is asked about as a whole; ask with one resource to know of it alone. Decides
   * again, with the traced conditions: not for the way of an answer. Empty when the engine was made without `traced`.
   */
  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[];
  /** The policies whose rules were considered for a request or a plan, sorted by name (server.md 4.3); asked like `evaluationErrors`. */
  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[];
}

/** The engine of a compiled bundle: the one way in. */
export function createEngine(bundle: PolicyBundle, options: EngineOptions = {}): Engine {
  return new PolicyEngine(bundle, settingsOf(options));
}

/** What decisions name as the policy matched when none exists for the request (policy-language.md 8.3). */
const NO_MATCH = 'NO_MATCH';

class PolicyEngine implements Engine {
  private readonly registry: Registry;
  private readonly evaluation: Evaluation;
  /** Of the principal of the call, defaults filled in; only where principals have policies. */
  private principalVersion = '';
  private principalScope = '';
  /** Settings and registry of the engines that write journals; made when first asked for. */
  private journalists: { readonly settings: Settings; readonly registry: Registry } | undefined = undefined;

  constructor(
    private readonly bundle: PolicyBundle,
    private readonly settings: Settings,
    registry?: Registry,
    journal?: Journal,
  ) {
    this.registry = registry ?? new Registry(bundle, settings);
    this.evaluation = new Evaluation(settings.globals, settings.clock, settings.traced);
    if (journal === undefined) return;
    this.evaluation.journal = journal;
    this.evaluation.request.failures = journal.failures;
  }

  check({ principal, resources, auxData, includeMeta }: CheckRequest): readonly CheckResult[] {
    this.begin(principal, auxData);
    return resources.map((entry) => this.checkResource(entry, includeMeta === true));
  }

  plan(request: PlanRequest): PlanResult {
    return planResources(this.registry, this.settings, request);
  }

  isAllowed({ principal, resource, action, auxData }: AccessRequest): boolean {
    const { evaluation } = this;
    this.begin(principal, auxData);
    try {
      if (!this.turnTo(resource)) return false;
      evaluation.collectsOutputs = false;
      evaluation.listsDerivedRoles = evaluation.resource.readsRuntime;
      if (this.settings.schemaEnforcement === 'reject' && this.schemaErrors([action]).length > 0) return false;
      return check(evaluation, action) === ALLOW;
    } catch {
      // Conditions do not throw; should one do so all the same, nothing is known, and that denies.
      return false;
    }
  }

  evaluationErrors(request: CheckRequest | PlanRequest): readonly EvaluationError[] {
    return this.journalOf(request)?.evaluationErrors() ?? NONE;
  }

  effectivePolicies(request: CheckRequest | PlanRequest): readonly EffectivePolicy[] {
    return this.journalOf(request)?.effectivePolicies(this.settings.forJournals?.sources) ?? NONE;
  }

  /** Asks the policies once more, in an engine beside this one, which writes down what it meets. */
  private journalOf(request: CheckRequest | PlanRequest): Journal | undefined {
    const { forJournals } = this.settings;
    if (forJournals === undefined) return undefined;
    const settings = { ...this.settings, traced: forJournals };
    this.journalists ??= { settings, registry: new Registry(this.bundle, settings) };
    const { registry } = this.journalists;
    const journal = new Journal(this.settings.traced !== undefined);
    if ('resources' in request) new PolicyEngine(this.bundle, settings, registry, journal).check({ ...request, includeMeta: true });
    else considerPlan(registry, settings, request, journal);
    return journal;
  }

  private checkResource({ resource, actions }: ResourceActions, includeMeta: boolean): CheckResult {
    const { evaluation } = this;
    if (!this.turnTo(resource)) return denyAll(actions, NO_MATCH, NONE);

    const { principal, resource: chain } = evaluation;
    evaluation.outputs = [];
    evaluation.collectsOutputs = chain.hasOutputs || principal?.hasOutputs === true;
    evaluation.listsDerivedRoles = includeMeta || chain.readsRuntime || principal?.readsRuntime === true;
    evaluation.resourceKey = chain.exists ? chain.key : NO_MATCH;
    evaluation.principalKey = principal === undefined ? NO_MATCH : this.principalKey();

    const errors = this.schemaErrors(actions);
    if (this.settings.schemaEnforcement === 'reject' && errors.length > 0) return denyAll(actions, chain.key, errors);
    return {
      actions: actions.map((action) => this.decide(action)),
      effectiveDerivedRoles: includeMeta ? evaluation.enteredDerivedRoles : NONE,
      outputs: evaluation.outputs,
      validationErrors: errors,
    };
  }

  private decide(action: string): ActionDecision {
    const { evaluation } = this;
    try {
      const effect = check(evaluation, action);
      return { action, effect, matchedPolicy: evaluation.matchedPolicy, matchedScope: evaluation.matchedScope };
    } catch {
      // As in `isAllowed`.
      return { action, effect: DENY, matchedPolicy: evaluation.resourceKey, matchedScope: '' };
    }
  }

  private begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    if (this.registry.hasPrincipals) {
      this.principalVersion = principal.policyVersion || this.settings.defaultPolicyVersion;
      this.principalScope = requestedScope(principal.scope, this.settings.defaultScope);
    }
    this.evaluation.request.begin(principal, auxData);
  }

  /** Finds the policies for a resource; false when none exists, and everything is denied (policy-language.md 8.1, steps 1 to 5). */
  private turnTo(resource: ResourceInput): boolean {
    const { evaluation, registry, settings } = this;
    const version = resource.policyVersion || settings.defaultPolicyVersion;
    const scope = requestedScope(resource.scope, settings.defaultScope);
    evaluation.turnTo(resource, registry.lineages(version, scope));
    evaluation.resource = registry.resourceChain(resource.kind, version, scope);
    if (!registry.hasPrincipals) return evaluation.resource.exists;
    // The version of the resource, not that of the principal (8.8).
    evaluation.principal = registry.principalChain(evaluation.request.principal.id, version, this.principalScope);
    return evaluation.resource.exists || registry.hasPrincipalPolicies(this.principalVersion, this.principalScope);
  }

  /** Here the version of the principal counts (policy-language.md 8.8). */
  private principalKey(): string {
    const { principalVersion: version, principalScope: scope, registry } = this;
    if (!registry.hasPrincipalPolicies(version, scope)) return NO_MATCH;
    return policyKey('principal', this.evaluation.request.principal.id, version, registry.firstPrincipalScope(scope) ?? '');
  }

  private schemaErrors(actions: readonly string[]): readonly ValidationError[] {
    const { request, resource } = this.evaluation;
    if (this.settings.schemaEnforcement === 'none' || resource.schemas === undefined) return NONE;
    return validationErrors(resource.schemas, { principal: request.principal.attr, resource: request.resource.attr }, actions);
  }
}

function denyAll(actions: readonly string[], matchedPolicy: string, errors: readonly ValidationError[]): CheckResult {
  return {
    actions: actions.map((action) => ({ action, effect: DENY, matchedPolicy, matchedScope: '' })),
    effectiveDerivedRoles: NONE,
    outputs: NONE,
    validationErrors: errors,
  };
}

const NONE: readonly never[] = [];
