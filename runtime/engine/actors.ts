/**
 * Principals with actors: a check is allowed if it is allowed for the principal and for each actor, and a plan selects
 * what all of them may have (docs/spec/policy-language.md#actors).
 */
import type { AnyPermissions, KindOf, Permissions, PrincipalOf } from '../policy/index.js';
import { FLAT, type Writing } from '../residual/index.js';
import { type CompiledBundle, createEngine, type Engine, type EngineOptions, settingsOf } from './engine.js';
import { type AuditedEngine, createAuditedEngine, type Explanation } from './explain.js';
import { requirePrincipal } from './input.js';
import type {
  AccessRequest,
  ActionDecision,
  ActorInput,
  CheckRequest,
  CheckResult,
  PlanRequest,
  PlanResult,
  PreparedPrincipal,
  PrincipalInput,
  PrincipalOptions,
  ResourceInput,
  UntypedPrincipal,
  ValidationError,
} from './requests.js';
import { intersection, joined, together } from './together.js';

/** How many actors a principal may have. */
export const MAX_ACTORS = 8;

/**
 * As `createEngine`, for requests whose principals may have actors. A request about one with actors costs as much as
 * one about each of them, within the limits of one call. Separate, so that programs without them do not carry the code.
 *
 * A call throws a TypeError if there are more than 8 actors, or if an actor has actors.
 */
export function createDelegationEngine<P extends Permissions = AnyPermissions>(
  bundle: CompiledBundle,
  options: EngineOptions = {},
): Engine<P> {
  return withActors(createEngine(bundle, options), asOneOf(bundle, options), options.plan) as unknown as Engine<P>;
}

/** An engine that decides requests with actors by one that decides about one principal. */
export function withActors(engine: Engine, asOne: AsOne, writing: Writing | undefined): Engine {
  return new DelegationEngine(engine, asOne, writing);
}

/** How calls of an engine of the bundle share the limits of one. */
export function asOneOf({ guard }: CompiledBundle, options: EngineOptions): AsOne {
  const { limits } = settingsOf(options);
  return (work) => (guard === undefined ? work() : guard.asOne(work, limits));
}

/** As `createAuditedEngine`, for requests whose principals may have actors. */
export function createAuditedDelegationEngine(bundle: CompiledBundle, options: EngineOptions = {}): AuditedEngine {
  return auditedWithActors(createAuditedEngine(bundle, options), options.plan);
}

/** As `withActors`, of an engine that explains. */
export function auditedWithActors(engine: AuditedEngine, writing: Writing | undefined): AuditedEngine {
  const asOne: AsOne = (work) => engine.asOne(work);
  const delegation = new DelegationEngine(engine, asOne, writing);
  const explain = (request: CheckRequest | PlanRequest): Explanation =>
    isAlone(request.principal)
      ? engine.explain(request)
      : asOne(() =>
          joined(
            eachOf(request).map((one) => engine.explain(one)),
            ([own = []]) => own,
          ),
        );
  return {
    check: (request) => delegation.check(request),
    isAllowed: (request) => delegation.isAllowed(request),
    for: (principal, options) => delegation.for(principal, options),
    plan: (request) => delegation.plan(request),
    explain,
    evaluationErrors: (request) => together(explain(request).evaluationErrors),
    effectivePolicies: (request) => explain(request).effectivePolicies,
    asOne,
  };
}

/**
 * The principal and its actors in their order, each as a principal of its own.
 * @throws {TypeError} if there are more than 8 actors, or if an actor has actors.
 */
export function chainOf(principal: PrincipalInput): readonly PrincipalInput[] {
  const { actors = [] } = principal;
  if (!Array.isArray(actors)) throw new TypeError('`principal.actors` is not a list');
  if (actors.length > MAX_ACTORS) throw new TypeError(`\`principal.actors\` has more than ${MAX_ACTORS} items`);
  requirePrincipal(principal);
  for (const [index, actor] of (actors as readonly PrincipalInput[]).entries()) {
    requirePrincipal(actor, `principal.actors[${index}]`);
    if (!isAlone(actor)) throw new TypeError('an item of `principal.actors` has actors; list them one after the other');
  }
  return [principal, ...(actors as readonly ActorInput[])].map(alone);
}

/** Does something in which all calls together have the limits of one call. */
export type AsOne = <Result>(work: () => Result) => Result;

class DelegationEngine implements Engine {
  constructor(
    private readonly engine: Engine,
    private readonly asOne: AsOne,
    private readonly writing: Writing = FLAT,
  ) {}

  check(request: CheckRequest): readonly CheckResult[] {
    if (isAlone(request.principal)) return this.engine.check(request);
    return this.asOne(() => allowedByAll(eachOf(request).map((one) => this.engine.check(one))));
  }

  isAllowed(request: AccessRequest): boolean {
    if (isAlone(request.principal)) return this.engine.isAllowed(request);
    return this.asOne(() => eachOf(request).every((one) => this.engine.isAllowed(one)));
  }

  plan(request: PlanRequest): PlanResult {
    if (isAlone(request.principal)) return this.engine.plan(request);
    return this.asOne(() => {
      const plans = eachOf(request).map((one) => this.engine.plan(one));
      const matchedScopes = plans[0]?.matchedScopes;
      return intersection(plans, this.writing, { matchedScopes, validationErrors: errorsOfAll(plans) });
    });
  }

  for<K extends KindOf<AnyPermissions>>(
    principal: PrincipalOf<AnyPermissions, K>,
    options?: PrincipalOptions,
  ): PreparedPrincipal<AnyPermissions, K> {
    if (isAlone(principal)) return this.engine.for(principal, options);
    const chain = chainOf(principal).map((one): UntypedPrincipal => this.engine.for(one, options));
    return {
      can: (action: string, resource: ResourceInput) =>
        this.asOne(() => chain.every((one) => one.can(action, resource))),
    };
  }
}

/** Whether a principal has no actors; only then does an engine decide about it alone. */
function isAlone(principal: PrincipalInput): boolean {
  const actors = principal?.actors;
  return actors === undefined || (Array.isArray(actors) && actors.length === 0);
}

/** Field by field, as a spread leaves out the accessors of a class. */
function alone({ id, roles, attr, policyVersion, scope }: ActorInput): PrincipalInput {
  return { id, roles, attr, policyVersion, scope };
}

/** The same request for the principal alone and for each actor. */
function eachOf<Request extends { readonly principal: PrincipalInput }>(request: Request): readonly Request[] {
  return chainOf(request.principal).map((principal) => ({ ...request, principal }));
}

function allowedByAll([own = [], ...others]: readonly (readonly CheckResult[])[]): readonly CheckResult[] {
  return own.map((result, index) => {
    const ofActors = others.map((results) => results[index] as CheckResult);
    return {
      actions: result.actions.map((decision, position) => {
        const ofAll = [decision, ...ofActors.map(({ actions }) => actions[position] as ActionDecision)];
        return ofAll.find(({ allowed }) => !allowed) ?? decision;
      }),
      effectiveDerivedRoles: result.effectiveDerivedRoles,
      outputs: [...result.outputs, ...ofActors.flatMap(({ outputs }) => outputs)],
      validationErrors: errorsOfAll([result, ...ofActors]),
    };
  });
}

/** Those of the resource are the same for all. Those of an actor are named by its place: `/actors/0/department`. */
function errorsOfAll(
  results: readonly { readonly validationErrors: readonly ValidationError[] }[],
): readonly ValidationError[] {
  const [own = [], ...others] = results.map(({ validationErrors }) => validationErrors);
  const ofActors = others.flatMap((errors, index) =>
    errors
      .filter(({ source }) => source === 'SOURCE_PRINCIPAL')
      .map((error) => ({ ...error, path: `/actors/${index}${error.path}` })),
  );
  const first = own.findLastIndex(({ source }) => source === 'SOURCE_PRINCIPAL') + 1;
  return [...own.slice(0, first), ...ofActors, ...own.slice(first)];
}
