import {
  ALLOW,
  type AnyPermissions,
  type Attributes,
  DENY,
  type Instant,
  type KindOf,
  type Permissions,
  type PolicyBundle,
} from '../policy/index.js';
import type { Writing } from '../residual/index.js';
import { check } from './decide/check.js';
import { type CompiledTraces, Evaluation, type Judges, type Listener } from './decide/evaluation.js';
import { FEW_ROLES } from './find/chains.js';
import { Registry, requirePart } from './find/registry.js';
import type { EvaluationLimits, Guard } from './limits.js';
import type { Plan, Planner, PlanSettings } from './plan/planner.js';
import {
  type AccessRequest,
  type AccessRequestOf,
  type ActionDecision,
  type AuxDataInput,
  type CheckRequest,
  type CheckRequestOf,
  type CheckResult,
  type PlanRequest,
  type PlanRequestOf,
  type PlanResult,
  type PrincipalInput,
  requestedScope,
  type ResourceActions,
  type ResourceInput,
  type SchemaEnforcement,
  type ValidationError,
  validationErrors,
} from './requests.js';

/**
 * Decides. Not re-entrant: a condition must not call the engine that asks it.
 *
 * With the emitted types, `createEngine<Policies>(policies)`, a request that names a kind, an action or an attribute
 * that no policy knows does not compile.
 */
export interface Engine<P extends Permissions = AnyPermissions> {
  /**
   * One result for each resource of the request, in its order (docs/spec/policy-language.md#requests-and-responses).
   * Never throws for what a policy does: that denies.
   */
  check(request: CheckRequestOf<P>): readonly CheckResult[];
  /**
   * On which resources the actions are allowed, before there are any: selects exactly the rows that `check` allows
   * (planner.md). Throws when the policies were compiled for checks only, and for nothing else.
   */
  plan<K extends KindOf<P>>(request: PlanRequestOf<P, K>): PlanResult;
  /** Whether one action is allowed: the decision `check` makes, and nothing else of it. Allocates nothing. */
  isAllowed<K extends KindOf<P>>(request: AccessRequestOf<P, K>): boolean;
}

/**
 * What a compiled bundle exports as `policies`, with the parts of the engine that not every bundle needs: who only
 * checks does not carry a planner, who has no role policies nothing that judges by them. The terms that conditions
 * leave for a plan are met by the library that made them.
 */
export interface CompiledBundle extends PolicyBundle, Judges {
  /** Absent where policies were compiled for checks only. */
  readonly planner?: Planner;
  /** Absent where policies were written by hand. */
  readonly guard?: Guard;
}

/** The configuration that changes decisions (docs/spec/policy-language.md#configuration). */
export interface EngineOptions {
  /** For requests without a version. `default` when absent. */
  readonly defaultPolicyVersion?: string;
  /** For requests without a scope; a leading dot is dropped. The root when absent. */
  readonly defaultScope?: string;
  /**
   * Whether a scope that no policy lives in is looked for among its ancestors
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  readonly lenientScopeSearch?: boolean;
  /**
   * Whether a condition that cannot be evaluated denies (docs/spec/policy-language.md#strict-evaluation). Needs
   * `traced`.
   */
  readonly strictEvaluation?: boolean;
  /** What conditions see as `globals`; an integer of the configuration is a bigint. */
  readonly globals?: Attributes;
  /** What a schema violation does (docs/spec/policy-language.md#enforcement). `none` when absent. */
  readonly schemaEnforcement?: SchemaEnforcement;
  /** The instant of a call; asked at most once a call, when a condition wants it. The system's when absent. */
  readonly clock?: () => Instant;
  /** How plans write their filters. Flat, with `has` where a DENY needs it, when absent. */
  readonly plan?: Writing;
  /** How much the conditions of a call may cost. */
  readonly limits?: EvaluationLimits;
  /**
   * The second emission of the bundle, whose conditions tell an error from false: for strict evaluation, and for what
   * audit asks of the engine.
   */
  readonly traced?: CompiledTraces;
}

/** Options with nothing left open. */
export interface Settings extends PlanSettings {
  readonly limits: EvaluationLimits;
  /** Present in strict evaluation, and only there. */
  readonly traced: CompiledTraces | undefined;
  /**
   * The same, in whatever evaluation, where the bundle's was given: what policies are asked with once more, for a
   * journal.
   */
  readonly tracesToExplain: CompiledTraces | undefined;
}

/** The engine of a compiled bundle: the one way in. */
export function createEngine<P extends Permissions = AnyPermissions>(
  bundle: CompiledBundle,
  options: EngineOptions = {},
): Engine<P> {
  const settings = settingsOf(options);
  const engine = new PolicyEngine(bundle, settings);
  return bundle.guard?.limited(engine, settings.limits) ?? engine;
}

/**
 * What decisions name as the policy matched when none exists for the request
 * (docs/spec/policy-language.md#matched-policy-and-scope).
 */
const NO_MATCH = 'NO_MATCH';

/** The engine. Its constructor is for who keeps a registry, or a journal. */
export class PolicyEngine implements Engine {
  private readonly registry: Registry;
  private readonly evaluation: Evaluation;
  /** Of the principal of the call, defaults filled in; only where principals have policies. */
  private principalVersion = '';
  private principalScope = '';
  private readonly judges: Judges;
  private planned: Plan | undefined = undefined;

  constructor(
    protected readonly bundle: CompiledBundle,
    protected readonly settings: Settings,
    registry?: Registry,
    listener?: Listener,
  ) {
    this.judges = judgesOf(bundle, settings);
    this.registry = registry ?? new Registry(bundle, settings);
    this.evaluation = new Evaluation(settings.globals, settings.clock, settings.traced);
    if (listener === undefined) return;
    this.evaluation.listener = listener;
    this.evaluation.request.failures = listener.failures;
  }

  check({ principal, resources, auxData, includeMeta }: CheckRequest): readonly CheckResult[] {
    this.begin(principal, auxData);
    return resources.map((entry) => this.checkResource(entry, includeMeta === true));
  }

  plan(request: PlanRequest): PlanResult {
    this.planned ??= planOf(this.bundle)(this.bundle, this.settings);
    return this.planned(request);
  }

  isAllowed({ principal, resource, action, auxData }: AccessRequest): boolean {
    const { evaluation } = this;
    this.begin(principal, auxData);
    try {
      if (!this.turnTo(resource)) return false;
      evaluation.collectsOutputs = false;
      if (evaluation.judgedRoles.length > FEW_ROLES) this.bundle.guard?.turn(evaluation, this.settings.limits);
      evaluation.listsDerivedRoles = evaluation.resource.readsRuntime;
      if (this.settings.schemaEnforcement === 'reject' && this.schemaErrors([action]).length > 0) return false;
      return check(evaluation, this.judges, action) === ALLOW;
    } catch (error) {
      // Conditions do not throw, but at a limit; should one do so all the same, nothing is known, and that denies.
      this.bundle.guard?.passOn(error);
      return false;
    }
  }

  private checkResource({ resource, actions }: ResourceActions, includeMeta: boolean): CheckResult {
    const { evaluation } = this;
    if (!this.turnTo(resource)) return denyAll(actions, NO_MATCH, NONE);

    const { principal, resource: chain } = evaluation;
    evaluation.outputs = [];
    evaluation.collectsOutputs = chain.hasOutputs || principal?.hasOutputs === true;
    this.bundle.guard?.turn(evaluation, this.settings.limits);
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
      const effect = check(evaluation, this.judges, action);
      return { action, effect, matchedPolicy: evaluation.matchedPolicy, matchedScope: evaluation.matchedScope };
    } catch (error) {
      // As in `isAllowed`.
      this.bundle.guard?.passOn(error);
      return { action, effect: DENY, matchedPolicy: evaluation.resourceKey, matchedScope: '' };
    }
  }

  private begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    if (this.registry.principals !== undefined) {
      this.principalVersion = principal.policyVersion || this.settings.defaultPolicyVersion;
      this.principalScope = requestedScope(principal.scope, this.settings.defaultScope);
    }
    this.evaluation.begin(principal, auxData);
  }

  /**
   * Finds the policies for a resource; false when none exists, and everything is denied
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  private turnTo(resource: ResourceInput): boolean {
    const { evaluation, registry, settings } = this;
    const version = resource.policyVersion || settings.defaultPolicyVersion;
    const scope = requestedScope(resource.scope, settings.defaultScope);
    evaluation.turnTo(resource, registry.roles?.lineages(version, scope));
    evaluation.resource = registry.resourceChain(resource.kind, version, scope);
    const { principals } = registry;
    if (principals === undefined) return evaluation.resource.exists;
    // The version of the resource, not that of the principal (docs/spec/policy-language.md#versions).
    evaluation.principal = principals.chain(evaluation.request.principal.id, version, this.principalScope);
    return evaluation.resource.exists || principals.exist(this.principalVersion, this.principalScope);
  }

  /** Here the version of the principal counts (docs/spec/policy-language.md#versions). */
  private principalKey(): string {
    const { principalVersion: version, principalScope: scope, registry } = this;
    const { principals } = registry;
    return principals?.exist(version, scope)
      ? principals.keyOf(this.evaluation.request.principal.id, version, scope)
      : NO_MATCH;
  }

  private schemaErrors(actions: readonly string[]): readonly ValidationError[] {
    const { request, resource } = this.evaluation;
    if (this.settings.schemaEnforcement === 'none' || resource.schemas === undefined) return NONE;
    return validationErrors(
      resource.schemas,
      { principal: request.principal.attr, resource: request.resource.attr },
      actions,
    );
  }
}

/** An engine that lacks a part would deny, and nobody would know why. */
function judgesOf(
  { principalJudge, roleJudge, visitRules, resourcePolicies, principalPolicies }: CompiledBundle,
  { traced }: Settings,
): Judges {
  const judges = { principalJudge, roleJudge, visitRules: visitRules ?? traced?.visitRules };
  if (traced !== undefined || [...resourcePolicies, ...principalPolicies].some(({ hasOutputs }) => hasOutputs))
    requirePart(judges.visitRules);
  return judges;
}

function planOf({ planner }: CompiledBundle): NonNullable<CompiledBundle['planner']> {
  if (planner === undefined)
    throw new Error('these policies were compiled for checks only: compile them without --checks-only to plan');
  return planner;
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

/**
 * The settings of an engine. Throws when strict evaluation lacks the traced conditions, which is a mistake of the
 * program that embeds it.
 */
export function settingsOf(options: EngineOptions): Settings {
  if (options.strictEvaluation === true && options.traced === undefined)
    throw new Error('strict evaluation needs the traced conditions of the bundle');
  return {
    defaultPolicyVersion: options.defaultPolicyVersion ?? 'default',
    defaultScope: options.defaultScope ?? '',
    lenientScopeSearch: options.lenientScopeSearch ?? false,
    globals: options.globals ?? {},
    schemaEnforcement: options.schemaEnforcement ?? 'none',
    clock: options.clock ?? systemClock(),
    plan: options.plan,
    limits: options.limits ?? {},
    traced: options.strictEvaluation === true ? options.traced : undefined,
    tracesToExplain: options.traced,
  };
}

/**
 * The time of the system. An instant is filled anew when it is asked, so that asking allocates nothing; the offset is
 * asked of the system once in a quarter of an hour, as no zone changes its offset but on one.
 */
function systemClock(): () => Instant {
  const instant = { seconds: 0, nanos: 0, offset: 0 };
  let quarter = Number.NaN;
  return () => {
    const milliseconds = Date.now();
    const current = Math.floor(milliseconds / 900_000);
    if (current !== quarter) {
      quarter = current;
      instant.offset = -new Date(milliseconds).getTimezoneOffset();
    }
    instant.seconds = Math.floor(milliseconds / 1000);
    instant.nanos = (milliseconds - instant.seconds * 1000) * 1_000_000;
    return instant;
  };
}
