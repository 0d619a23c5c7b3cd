import {
  ALLOW,
  type AnyPermissions,
  type Attributes,
  DENY,
  type Effect,
  type Instant,
  type KindOf,
  type Permissions,
  type PolicyBundle,
  type PrincipalOf,
} from '../policy/index.js';
import { NotJsonError } from '../cel/index.js';
import type { Writing } from '../residual/index.js';
import { check } from './decide/check.js';
import { type CompiledTraces, Evaluation, type Judges, type Listener, MutableRequest } from './decide/evaluation.js';
import { FEW_ROLES } from './find/chains.js';
import { Registry, requirePart, type ScopedPolicies } from './find/registry.js';
import type { RoleList } from './find/tables.js';
import {
  claimsOf,
  isName,
  isPrincipal,
  plannable,
  requireAccess,
  requireEntry,
  requireEntryList,
  requirePrincipal,
  whole,
} from './input.js';
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
  type PreparedPrincipal,
  type PrincipalInput,
  type PrincipalOptions,
  refuseActors,
  requestedScope,
  type ResourceActions,
  type ResourceInput,
  type SchemaEnforcement,
  type UntypedPrincipal,
  type ValidationError,
  validationErrors,
} from './requests.js';

/**
 * Decides requests. Not re-entrant: a condition must not call the engine that evaluates it.
 *
 * With the emitted types, `createEngine<Policies>(policies)`, a request with a kind, an action or an attribute that is
 * in no policy does not compile.
 */
export interface Engine<P extends Permissions = AnyPermissions> {
  /**
   * One result for each resource of the request, in its order (docs/spec/policy-language.md#requests-and-responses).
   * An error in a policy does not throw; it denies. A call that exceeds `limits` throws an `EvaluationLimitError`.
   */
  check(request: CheckRequestOf<P>): readonly CheckResult[];
  /**
   * The filter that selects exactly the resources on which `check` allows the actions (docs/spec/plans.md#the-formula).
   * Throws if the policies were compiled for checks only, and an `EvaluationLimitError` as `check` does.
   */
  plan<K extends KindOf<P>>(request: PlanRequestOf<P, K>): PlanResult;
  /** Whether `check` allows one action. Does not allocate, unless there is `auxData`. */
  isAllowed<K extends KindOf<P>>(request: AccessRequestOf<P, K>): boolean;
  /**
   * Prepares a principal for many decisions, each of which is faster than `isAllowed`. Later changes of the principal
   * and of `auxData` have no effect, except inside `attr` and claims, which are not copied.
   */
  for<K extends KindOf<P> = KindOf<P>>(
    principal: PrincipalOf<P, K>,
    options?: PrincipalOptions,
  ): PreparedPrincipal<P, K>;
}

/**
 * What a compiled bundle exports as `policies`, with the optional parts of the engine that its policies need. Programs
 * without plans or role policies do not carry the code for them. A residual can only be read by the copy of the library
 * that made it, so bundles bring the planner too.
 */
export interface CompiledBundle extends PolicyBundle, Judges {
  /** Present in a large bundle. */
  readonly scoped?: ScopedPolicies | undefined;
  /** Absent if the policies were compiled for checks only. */
  readonly planner?: Planner;
  /** Absent if the policies were written by hand. */
  readonly guard?: Guard;
}

/** The options that change decisions (docs/spec/policy-language.md#configuration). */
export interface EngineOptions {
  /** The version of requests without one. Default: `default`. */
  readonly defaultPolicyVersion?: string;
  /** The scope of requests without one; a leading dot is ignored. Default: the root. */
  readonly defaultScope?: string;
  /**
   * Whether a scope without policies falls back to its nearest ancestor with policies
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
  /** The effect of a schema violation (docs/spec/policy-language.md#enforcement). Default: `none`. */
  readonly schemaEnforcement?: SchemaEnforcement;
  /**
   * The time of a call; read at most once per call, by the first condition that needs it. Default: the system clock.
   */
  readonly clock?: () => Instant;
  /** The shape of the filters of plans. Default: flat, with `has` where a DENY needs it. */
  readonly plan?: Writing;
  /** The limits on the conditions of a call. */
  readonly limits?: EvaluationLimits;
  /** The bundle's `traced`, whose conditions tell an error from false. Strict evaluation and explanations need it. */
  readonly traced?: CompiledTraces;
}

/** Options with their defaults. */
export interface Settings extends PlanSettings {
  readonly limits: EvaluationLimits;
  /** Only in strict evaluation. */
  readonly traced: CompiledTraces | undefined;
  /** `EngineOptions.traced`, also if evaluation is not strict, to explain decisions. */
  readonly tracesToExplain: CompiledTraces | undefined;
}

/** Creates the engine of a compiled bundle. Throws if the bundle lacks a part that its policies need. */
export function createEngine<P extends Permissions = AnyPermissions>(
  bundle: CompiledBundle,
  options: EngineOptions = {},
): Engine<P> {
  const settings = settingsOf(options);
  const engine = new PolicyEngine(bundle, settings);
  return bundle.guard?.limited(engine, settings.limits) ?? engine;
}

/**
 * What decisions name as the matched policy if none exists for the request
 * (docs/spec/policy-language.md#matched-policy-and-scope).
 */
const NO_MATCH = 'NO_MATCH';

/** The engine. Its constructor takes a registry to share, and a listener. */
export class PolicyEngine implements Engine {
  readonly registry: Registry;
  private readonly evaluation: Evaluation;
  /** Of the principal of the call, or the defaults. Only set if there are principal policies. */
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
    this.registry = registry ?? new Registry(bundle, settings);
    this.judges = judgesOf(bundle, settings, this.registry);
    this.evaluation = new Evaluation(settings.globals, settings.clock, settings.traced, readsWhole(settings));
    if (listener === undefined) return;
    this.evaluation.listener = listener;
    this.evaluation.request.failures = listener.failures;
  }

  check({ principal, resources, auxData, includeMeta }: CheckRequest): readonly CheckResult[] {
    requirePrincipal(principal);
    requireEntryList(resources);
    this.begin(principal, auxData);
    // One after the other: a reader of entries sees when each begins.
    return resources.map((entry, index) => this.checkResource(entry, includeMeta === true, index));
  }

  plan(request: PlanRequest): PlanResult {
    this.planned ??= planOf(this.bundle)(this.bundle, this.settings);
    return this.planned(plannable(request));
  }

  isAllowed({ principal, resource, action, auxData }: AccessRequest): boolean {
    const { evaluation } = this;
    if (!isPrincipal(principal)) requirePrincipal(principal);
    if (!isName(action) || !isName(resource.id)) requireAccess(resource, action);
    refuseActors(principal);
    try {
      const { decide, readsPlace, roles } = this.registry.chainOf(resource);
      if (decide !== undefined && !readsPlace && this.isPlainFor(principal.id)) {
        const bits = roles.bitsOf(principal.roles);
        return bits !== 0 && decide(bits, action, evaluation.request.asGiven(principal, resource, auxData));
      }
      this.begin(principal, auxData);
      if (!this.turnTo(resource)) return false;
      evaluation.collectsOutputs = false;
      if (evaluation.judgedRoles.length > FEW_ROLES) this.bundle.guard?.turn(evaluation, this.settings.limits);
      evaluation.listsDerivedRoles = evaluation.resource.readsRuntime;
      if (this.settings.schemaEnforcement === 'reject' && this.schemaErrors([action]).length > 0) return false;
      return check(evaluation, this.judges, action) === ALLOW;
    } catch (error) {
      return this.denies(error);
    }
  }

  /**
   * Only limits and values that are not JSON make conditions throw. Should one throw anything else, there is no result,
   * and that denies.
   */
  denies(error: unknown): false {
    if (error instanceof NotJsonError) throw error;
    this.bundle.guard?.passOn(error);
    return false;
  }

  /** Whether resource policies alone decide about a principal. */
  isPlainFor(id: string): boolean {
    return this.settings.schemaEnforcement !== 'reject' && this.registry.principals?.has(id) !== true;
  }

  for(given: PrincipalInput, { auxData }: PrincipalOptions = {}): UntypedPrincipal {
    requirePrincipal(given);
    // Field by field, as a spread leaves out the accessors of a class.
    const { id, roles, attr, policyVersion, scope, actors } = given;
    const principal = {
      id,
      roles: [...roles],
      attr: whole(attr, 'principal.attr'),
      policyVersion,
      scope,
      actors,
    };
    return new Prepared(this, principal, auxData == null ? undefined : claimsOf(auxData), this.settings);
  }

  protected checkResource(entry: ResourceActions, includeMeta: boolean, index: number): CheckResult {
    const { resource, actions } = entry ?? {};
    requireEntry(resource, actions, index);
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
      return decisionOf(action, effect, evaluation.matchedPolicy, evaluation.matchedScope);
    } catch (error) {
      this.denies(error);
      return decisionOf(action, DENY, evaluation.resourceKey, '');
    }
  }

  /** Begins a call in which more than one function decides. */
  private begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    if (this.registry.principals !== undefined) {
      this.principalVersion = principal.policyVersion || this.settings.defaultPolicyVersion;
      this.principalScope = requestedScope(principal.scope, this.settings.defaultScope);
    }
    this.evaluation.begin(principal, auxData);
  }

  /**
   * Finds the policies for a resource; false if none exists, and everything is denied
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

  /** The version of the principal, not of the resource (docs/spec/policy-language.md#versions). */
  private principalKey(): string {
    const { principals } = this.registry;
    return principals?.exist(this.principalVersion, this.principalScope)
      ? principals.keyOf(this.evaluation.request.principal.id, this.principalVersion, this.principalScope)
      : NO_MATCH;
  }

  private schemaErrors(actions: readonly string[]): readonly ValidationError[] {
    const { request, resource } = this.evaluation;
    if (this.settings.schemaEnforcement === 'none' || resource.schemas === undefined) return NONE;
    return validationErrors(resource.schemas, request, actions);
  }
}

/** Where one policy decides by a function, `can` only has to set the resource. */
class Prepared implements UntypedPrincipal {
  private readonly request: MutableRequest;
  private readonly isPlain: boolean;
  /** The bits of the principal's roles in the latest policy, and the roles that this policy names. */
  private bits = 0;
  private named: RoleList | undefined = undefined;

  constructor(
    private readonly engine: PolicyEngine,
    private readonly principal: PrincipalInput,
    private readonly auxData: AuxDataInput | undefined,
    settings: Settings,
  ) {
    this.request = new MutableRequest(settings.globals, settings.clock, readsWhole(settings));
    this.request.begin(principal, auxData);
    this.isPlain = engine.isPlainFor(principal.id);
  }

  can(action: string, resource: ResourceInput): boolean {
    const { engine, request, principal, auxData } = this;
    if (!isName(action) || !isName(resource.id)) requireAccess(resource, action);
    try {
      const { decide, readsPlace, roles } = engine.registry.chainOf(resource);
      if (decide === undefined || readsPlace || !this.isPlain)
        return engine.isAllowed({ principal, resource, action, auxData });
      if (roles !== this.named) {
        // In this order: if the roles cannot be read, the bits are still those of the previous policy.
        this.bits = roles.bitsOf(principal.roles);
        this.named = roles;
      }
      return this.bits !== 0 && decide(this.bits, action, request.about(resource));
    } catch (error) {
      return engine.denies(error);
    }
  }
}

/** Whether something reads attributes that does not convert them, as conditions do that are compiled for decisions. */
function readsWhole({ schemaEnforcement, traced }: Settings): boolean {
  return schemaEnforcement !== 'none' || traced !== undefined;
}

/** Throws if a part is missing: the engine would deny without saying why. */
function judgesOf(
  { principalJudge, roleJudge, visitRules }: CompiledBundle,
  { traced }: Settings,
  { hasOutputs }: Registry,
): Judges {
  const judges = { principalJudge, roleJudge, visitRules: visitRules ?? traced?.visitRules };
  if (traced !== undefined || hasOutputs) requirePart(judges.visitRules);
  return judges;
}

function planOf({ planner }: CompiledBundle): NonNullable<CompiledBundle['planner']> {
  if (planner === undefined)
    throw new Error('the policies were compiled for checks only: compile them without --checks-only');
  return planner;
}

function decisionOf(action: string, effect: Effect, matchedPolicy: string, matchedScope: string): ActionDecision {
  return { action, effect, matchedPolicy, matchedScope, allowed: effect === ALLOW };
}

function denyAll(actions: readonly string[], matchedPolicy: string, errors: readonly ValidationError[]): CheckResult {
  return {
    actions: actions.map((action) => decisionOf(action, DENY, matchedPolicy, '')),
    effectiveDerivedRoles: NONE,
    outputs: NONE,
    validationErrors: errors,
  };
}

const NONE: readonly never[] = [];

/**
 * The settings of an engine. Throws if strict evaluation lacks the traced conditions, which is a bug of the caller.
 */
export function settingsOf({
  defaultPolicyVersion = 'default',
  defaultScope = '',
  lenientScopeSearch = false,
  globals = {},
  schemaEnforcement = 'none',
  clock = systemClock(),
  plan,
  limits = {},
  traced,
  strictEvaluation,
}: EngineOptions): Settings {
  if (strictEvaluation === true && traced === undefined) throw new Error('strictEvaluation needs `traced`');
  return {
    defaultPolicyVersion,
    defaultScope,
    lenientScopeSearch,
    globals,
    schemaEnforcement,
    clock,
    plan,
    limits,
    traced: strictEvaluation === true ? traced : undefined,
    tracesToExplain: traced,
  };
}

/**
 * The system clock. It fills one instant again for each call, so that it does not allocate. The time zone offset is
 * read once per quarter of an hour, as zones change their offset only on one.
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
