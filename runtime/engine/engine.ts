import {
  ALLOW,
  type AnyPermissions,
  DENY,
  type Effect,
  type KindOf,
  type Permissions,
  type PrincipalOf,
} from '../policy/index.js';
import { NotJsonError } from '../../packages/cel/runtime/index.js';
import type { CompiledBundle } from './bundle.js';
import type { CapabilityEngine } from './capability-requests.js';
import type { Explanation } from './decision-trace.js';
import { check } from './decide/check.js';
import { Evaluation, type Judges, type Listener, MutableRequest } from './decide/evaluation.js';
import { FEW_ROLES } from './find/chains.js';
import { Registry, requirePart } from './find/registry.js';
import type { RoleList } from './find/tables.js';
import {
  type Asked,
  convertClaims,
  isName,
  plannable,
  requireAccess,
  requireEntry,
  requireEntryList,
  requirePrincipal,
  whole,
} from './input.js';
import type { Guard, ResolvedLimits } from './limits.js';
import {
  type EngineOptions,
  type Explain,
  type ExtensibleEngine,
  type PrincipalHandler,
  resolveSettings,
  type Settings,
  type TenantRolesView,
} from './options.js';
import type { Plan } from './plan/planner.js';
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
  type UntypedPrincipal,
  type ValidationError,
  validationErrors,
} from './requests.js';
import type { PlanSubjects } from './subject-plans.js';

/**
 * Decides requests. Not re-entrant: a condition must not call the engine that evaluates it.
 *
 * With the emitted types, `createEngine<Policies>(policies)`, a request with a kind, an action or an attribute that is
 * in no policy does not compile.
 */
export interface Engine<P extends Permissions = AnyPermissions> extends CapabilityEngine<P> {
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
  /**
   * What the result of a check or a plan leaves out. Decides once more, with the traced conditions, so call it after
   * the response. Empty if the engine has no `traced`. Throws unless the engine uses `explanations()`.
   */
  explain(request: CheckRequest | PlanRequest): Explanation;
  /**
   * The filter that selects exactly the principals to whom `check` allows an action on a resource. Throws unless the
   * engine uses the `subjects` of its bundle.
   */
  readonly planSubjects: PlanSubjects;
  /** The roles that tenants define; undefined unless the engine uses `tenants()`. */
  readonly tenants: TenantRolesView | undefined;
  /** Runs `work` under the limits of a single call, for requests that take several calls. */
  asOne<Result>(work: () => Result): Result;
}

/**
 * Creates the engine of a compiled bundle. Throws if the bundle lacks a part that its policies need.
 *
 * Actors, roles of tenants and explanations are parts, so that programs without them do not carry the code:
 * `createEngine(policies, { use: [delegation(), tenants({ documents })] })`.
 *
 * @example
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies);
 * const album = { kind: 'album', id: 'a1', attr: { owner: 'ann', status: 'OPEN' } };
 * const principal = { id: 'ann', roles: ['user'] };
 * console.log(engine.isAllowed({ principal, resource: album, action: 'edit' })); // => true
 */
export function createEngine<P extends Permissions = AnyPermissions>(
  bundle: CompiledBundle,
  options: EngineOptions = {},
): Engine<P> {
  const engine = new PolicyEngine(bundle, resolveSettings(options));
  for (const part of options.use ?? []) part(engine);
  return engine;
}

/**
 * What decisions name as the matched policy if none exists for the request
 * (docs/spec/policy-language.md#matched-policy-and-scope).
 */
const NO_MATCH = 'NO_MATCH';

/**
 * The engine. Each call sets its own limits: a function shared by the methods would be megamorphic, and V8 would not
 * inline it.
 */
export class PolicyEngine implements Engine, ExtensibleEngine {
  readonly guard: Guard;
  readonly limits: ResolvedLimits;
  readonly handlers: PrincipalHandler[] = [];
  explanation: Explain | undefined = undefined;
  tenants: TenantRolesView | undefined = undefined;
  capabilities: Engine['capabilities'] = withoutCapabilities;
  planCapabilities: Engine['planCapabilities'] = withoutCapabilities;
  planSubjects: PlanSubjects = withoutSubjects;
  protected readonly evaluation: Evaluation;
  private readonly request: MutableRequest;
  /** Version of the principal of the call, or the default. Only set if there are principal policies. */
  private principalVersion = '';
  private principalScope = '';
  protected readonly judges: Judges;
  private planned: Plan | undefined = undefined;

  constructor(
    readonly bundle: CompiledBundle,
    readonly settings: Settings,
    readonly registry = new Registry(bundle, settings),
    listener?: Listener,
    public mayLackRoles = false,
  ) {
    this.guard = bundle.guard ?? UNLIMITED;
    this.limits = settings.limits;
    this.judges = makeJudges(bundle, settings, registry);
    this.evaluation = new Evaluation(settings.globals, settings.clock, settings.traced, readsWhole(settings));
    this.request = this.evaluation.request;
    if (listener === undefined) return;
    this.evaluation.listener = listener;
    this.request.failures = listener.failures;
  }

  check(request: CheckRequest): readonly CheckResult[] {
    const { principal, resources, auxData, includeMeta } = request;
    const handler = this.findHandler(principal);
    if (handler !== undefined) return handler.check(request);
    const { guard } = this;
    const isOutermost = guard.begin(this.limits);
    try {
      requirePrincipal(principal, this.mayLackRoles);
      requireEntryList(resources);
      this.begin(principal, auxData);
      const results: CheckResult[] = [];
      // One after the other: a reader of entries sees when each begins.
      for (let index = 0; index < resources.length; index++)
        results.push(this.checkResource(resources[index] as ResourceActions, includeMeta === true, index));
      return results;
    } catch (error) {
      return guard.fail(error, request);
    } finally {
      guard.end(isOutermost);
    }
  }

  plan(request: PlanRequest): PlanResult {
    const handler = this.findHandler(request.principal);
    if (handler !== undefined) return handler.plan(request);
    return this.asOne(() => this.planner()(plannable(request, this.mayLackRoles)), request);
  }

  planner(): Plan {
    this.planned ??= requirePlanner(this.bundle)(this.bundle, this.settings);
    return this.planned;
  }

  isAllowed(request: AccessRequest): boolean {
    const { principal, resource, action, auxData } = request;
    if (this.handlers.length > 0) {
      const handler = this.findHandler(principal);
      if (handler !== undefined) return handler.isAllowed(request);
    }
    // What usual requests need is here, and short, as V8 inlines only so much into one function.
    const { guard, limits, registry, request: given } = this;
    const chain = registry.findUsual(principal, resource, action);
    if (chain === undefined) return this.isUnusualAllowed(request);
    const { decideAsGiven, roles } = chain;
    const bits = roles.readBits(principal.roles);
    if (bits === 0) return this.isUnusualAllowed(request);
    const isOutermost = guard.begin(limits);
    try {
      return decideAsGiven(bits, action, given.asGiven(principal, resource, auxData));
    } catch (error) {
      return this.failed(error, request);
    } finally {
      guard.end(isOutermost);
    }
  }

  /** Whether a request is allowed that is not usual, or not valid. */
  private isUnusualAllowed(request: AccessRequest): boolean {
    const { principal, resource, action, auxData } = request;
    const { evaluation, guard, limits } = this;
    requirePrincipal(principal, this.mayLackRoles);
    requireAccess(resource, action);
    refuseActors(principal);
    const isOutermost = guard.begin(limits);
    try {
      const { decideAsGiven, roles } = this.registry.findChain(resource);
      if (decideAsGiven !== undefined && this.isPlainFor(principal.id)) {
        const bits = roles.toBits(principal.roles);
        return bits !== 0 && decideAsGiven(bits, action, this.request.asGiven(principal, resource, auxData));
      }
      this.begin(principal, auxData);
      if (!this.turnTo(resource)) return false;
      evaluation.collectsOutputs = false;
      if (evaluation.judgedRoles.length > FEW_ROLES) guard.turn(evaluation, limits);
      evaluation.listsDerivedRoles = evaluation.resource.readsRuntime;
      if (this.settings.schemaEnforcement === 'reject' && this.schemaErrors([action]).length > 0) return false;
      return check(evaluation, this.judges, action) === ALLOW;
    } catch (error) {
      return this.failed(error, request);
    } finally {
      guard.end(isOutermost);
    }
  }

  /**
   * Fails a call whose request is valid, or denies: only limits and values that are not JSON make conditions throw.
   * Should one throw anything else, there is no result, and that denies.
   */
  failed(error: unknown, request: Asked): false {
    if (error instanceof NotJsonError) this.guard.fail(error, request);
    this.guard.passOn(error);
    return false;
  }

  explain(request: CheckRequest | PlanRequest): Explanation {
    const handler = this.findHandler(request.principal);
    if (handler !== undefined) return handler.explain(request);
    if (this.explanation === undefined) throw new Error('`explain` needs `use: [explanations()]`');
    requirePrincipal(request.principal, this.mayLackRoles);
    return this.explanation(request);
  }

  asOne<Result>(work: () => Result, request?: Asked): Result {
    return this.guard.asOne(work, this.limits, request);
  }

  findHandler(principal: PrincipalInput): PrincipalHandler | undefined {
    const { handlers } = this;
    for (let i = 0; i < handlers.length; i++) {
      const handler = handlers[i] as PrincipalHandler;
      if (handler.handles(principal)) return handler;
    }
    return undefined;
  }

  /** Whether resource policies alone decide about a principal. */
  isPlainFor(id: string): boolean {
    return this.settings.schemaEnforcement !== 'reject' && this.registry.principals?.has(id) !== true;
  }

  for(given: PrincipalInput, options: PrincipalOptions = {}): UntypedPrincipal {
    const handler = this.findHandler(given);
    if (handler !== undefined) return handler.for(given, options);
    const { auxData } = options;
    requirePrincipal(given, this.mayLackRoles);
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
    return new Prepared(this, principal, auxData == null ? undefined : convertClaims(auxData));
  }

  private checkResource(entry: ResourceActions, includeMeta: boolean, index: number): CheckResult {
    const { resource, actions } = entry ?? {};
    const { evaluation } = this;
    evaluation.listener?.beginResource();
    requireEntry(resource, actions, index);
    if (!this.turnTo(resource)) return denyAll(actions, NO_MATCH, NONE);

    const { principal, resource: chain } = evaluation;
    evaluation.outputs = [];
    evaluation.collectsOutputs = chain.hasOutputs || principal?.hasOutputs === true;
    this.guard.turn(evaluation, this.limits);
    evaluation.listsDerivedRoles = includeMeta || chain.readsRuntime || principal?.readsRuntime === true;
    evaluation.resourceKey = chain.exists ? chain.key : NO_MATCH;
    evaluation.principalKey = principal === undefined ? NO_MATCH : this.principalKey();

    const errors = this.schemaErrors(actions);
    if (this.settings.schemaEnforcement === 'reject' && errors.length > 0) return denyAll(actions, chain.key, errors);
    const decisions: ActionDecision[] = [];
    for (let i = 0; i < actions.length; i++) decisions.push(this.decide(actions[i] as string));
    return {
      actions: decisions,
      effectiveDerivedRoles: includeMeta ? evaluation.enteredDerivedRoles : NONE,
      outputs: evaluation.outputs,
      validationErrors: errors,
    };
  }

  private decide(action: string): ActionDecision {
    const { evaluation } = this;
    try {
      const effect = check(evaluation, this.judges, action);
      return makeDecision(action, effect, evaluation.matchedPolicy, evaluation.matchedScope);
    } catch (error) {
      if (error instanceof NotJsonError) throw error;
      this.guard.passOn(error);
      return makeDecision(action, DENY, evaluation.resourceKey, '');
    }
  }

  /** Begins a call in which more than one function decides. */
  protected begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
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
  protected turnTo(resource: ResourceInput): boolean {
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
      ? principals.makeKey(this.evaluation.request.principal.id, this.principalVersion, this.principalScope)
      : NO_MATCH;
  }

  protected schemaErrors(actions: readonly string[]): readonly ValidationError[] {
    const { request, resource } = this.evaluation;
    if (this.settings.schemaEnforcement === 'none' || resource.schemas === undefined) return NONE;
    return validationErrors(resource.schemas, request, actions);
  }
}

/** Where one policy decides by a function, `can` only has to set the resource. */
class Prepared implements UntypedPrincipal {
  private readonly request: MutableRequest;
  private readonly isPlain: boolean;
  // Those of the engine, as each object on the way costs a test in compiled code.
  private readonly guard: Guard;
  private readonly limits: ResolvedLimits;
  private readonly registry: Registry;
  /** The bits of the principal's roles in the latest policy, and the roles that this policy names. */
  private bits = 0;
  private named: RoleList | undefined = undefined;

  constructor(
    private readonly engine: PolicyEngine,
    private readonly principal: PrincipalInput,
    private readonly auxData: AuxDataInput | undefined,
  ) {
    const { settings } = engine;
    this.request = new MutableRequest(settings.globals, settings.clock, readsWhole(settings));
    this.request.begin(principal, auxData);
    this.isPlain = engine.isPlainFor(principal.id);
    this.guard = engine.guard;
    this.limits = engine.limits;
    this.registry = engine.registry;
  }

  can(action: string, resource: ResourceInput): boolean {
    const { engine, request, guard, limits, registry } = this;
    const chain = this.isPlain && isName(action) ? registry.findAlone(resource) : undefined;
    if (chain === undefined)
      return engine.isAllowed({ principal: this.principal, resource, action, auxData: this.auxData });
    if (chain.roles !== this.named) this.turnTo(chain.roles);
    const { bits } = this;
    if (bits === 0) return false;
    const isOutermost = guard.begin(limits);
    try {
      return chain.decideAsGiven(bits, action, request.about(resource));
    } catch (error) {
      return engine.failed(error, { resource });
    } finally {
      guard.end(isOutermost);
    }
  }

  private turnTo(roles: RoleList): void {
    // In this order: if the roles cannot be read, the bits are still those of the previous policy.
    this.bits = roles.toBits(this.principal.roles);
    this.named = roles;
  }
}

/** The guard of a bundle without one: nothing is limited. */
const UNLIMITED: Guard = {
  turn: () => {},
  passOn: () => {},
  begin: () => true,
  end: () => {},
  fail: (error) => {
    throw error;
  },
  asOne: (work) => work(),
};

function withoutCapabilities(): never {
  throw new Error('needs `use: [capabilities()]`');
}

function withoutSubjects(): never {
  throw new Error('needs `use: [await subjects()]`, compiled with --explain');
}

/** Whether something reads attributes that does not convert them, as conditions do that are compiled for decisions. */
function readsWhole({ schemaEnforcement, traced }: Settings): boolean {
  return schemaEnforcement !== 'none' || traced !== undefined;
}

/** Throws if a part is missing: the engine would deny without saying why. */
function makeJudges(
  { principalJudge, roleJudge, visitRules }: CompiledBundle,
  { traced }: Settings,
  { hasOutputs }: Registry,
): Judges {
  const judges = { principalJudge, roleJudge, visitRules: visitRules ?? traced?.visitRules };
  if (traced !== undefined || hasOutputs) requirePart(judges.visitRules);
  return judges;
}

function requirePlanner({ planner }: CompiledBundle): NonNullable<CompiledBundle['planner']> {
  if (planner === undefined)
    throw new Error('the policies were compiled for checks only: compile them without --checks-only');
  return planner;
}

function makeDecision(action: string, effect: Effect, matchedPolicy: string, matchedScope: string): ActionDecision {
  return { action, effect, matchedPolicy, matchedScope, allowed: effect === ALLOW };
}

function denyAll(actions: readonly string[], matchedPolicy: string, errors: readonly ValidationError[]): CheckResult {
  return {
    actions: actions.map((action) => makeDecision(action, DENY, matchedPolicy, '')),
    effectiveDerivedRoles: NONE,
    outputs: NONE,
    validationErrors: errors,
  };
}

const NONE: readonly never[] = [];
