/**
 * Principals with actors: a check is allowed if it is allowed for the principal and for each actor, and a plan selects
 * what all of them may have (docs/spec/policy-language.md#actors).
 */
import type { AnyPermissions, KindOf, Permissions, PrincipalOf } from '../policy/index.js';
import { type Filter, filterOfAll, filterText, FLAT, operandText, type Writing } from '../residual/index.js';
import { type CompiledBundle, createEngine, type Engine, type EngineOptions, settingsOf } from './engine.js';
import { type AuditedEngine, createAuditedEngine, type EvaluationError, type Explanation } from './explain.js';
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
  UnplannedRule,
  UntypedPrincipal,
  ValidationError,
} from './requests.js';

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
  const { limits } = settingsOf(options);
  const asOne: AsOne = (work) => (bundle.guard === undefined ? work() : bundle.guard.asOne(work, limits));
  return new DelegationEngine(createEngine(bundle, options), asOne, options.plan) as unknown as Engine<P>;
}

/** As `createAuditedEngine`, for requests whose principals may have actors. */
export function createAuditedDelegationEngine(bundle: CompiledBundle, options: EngineOptions = {}): AuditedEngine {
  const engine = createAuditedEngine(bundle, options);
  const asOne: AsOne = (work) => engine.asOne(work);
  const delegation = new DelegationEngine(engine, asOne, options.plan);
  const explain = (request: CheckRequest | PlanRequest): Explanation =>
    isAlone(request.principal)
      ? engine.explain(request)
      : asOne(() => joined(eachOf(request).map((one) => engine.explain(one))));
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
  for (const actor of actors as readonly PrincipalInput[])
    if (!isAlone(actor)) throw new TypeError('an item of `principal.actors` has actors; list them one after the other');
  return [principal, ...(actors as readonly ActorInput[])].map(alone);
}

type AsOne = <Result>(work: () => Result) => Result;

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
    return this.asOne(() =>
      intersection(
        eachOf(request).map((one) => this.engine.plan(one)),
        this.writing,
      ),
    );
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
function isAlone({ actors }: PrincipalInput): boolean {
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

function intersection(plans: readonly PlanResult[], writing: Writing): PlanResult {
  const filter = filterOfAll(
    plans.map((plan) => plan.filter),
    writing,
    operandText,
  );
  return new Intersection(filter, plans);
}

class Intersection implements PlanResult {
  readonly matchedScopes: PlanResult['matchedScopes'];
  readonly validationErrors: readonly ValidationError[];
  readonly unplanned: readonly UnplannedRule[];

  constructor(
    readonly filter: Filter,
    private readonly plans: readonly PlanResult[],
  ) {
    this.matchedScopes = plans[0]?.matchedScopes;
    this.validationErrors = errorsOfAll(plans);
    this.unplanned = distinct(
      plans.flatMap(({ unplanned }) => unplanned),
      ({ policy, rule, reason }) => JSON.stringify([policy, rule, reason]),
    );
  }

  get filterDebug(): string {
    const unmatched = this.plans.map(({ filterDebug }) => filterDebug).find((text) => text === 'NO_MATCH');
    return unmatched ?? filterText(this.filter);
  }
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

/** What is explained of a request about each of a chain, as one explanation. */
function joined(explanations: readonly Explanation[]): Explanation {
  const lists = explanations.map(({ evaluationErrors }) => evaluationErrors);
  // Without derived roles it is of a plan or exceeds a limit, and has one list.
  const isOfResources = explanations.every(({ effectiveDerivedRoles }) => effectiveDerivedRoles !== undefined);
  const roles = isOfResources ? explanations[0]?.effectiveDerivedRoles : undefined;
  return {
    evaluationErrors: roles?.map((_, index) => together(lists.map((list) => list[index] ?? []))) ?? [
      together(lists.flat()),
    ],
    effectivePolicies: distinct(
      explanations.flatMap(({ effectivePolicies }) => effectivePolicies),
      ({ policy }) => policy,
    ),
    effectiveDerivedRoles: roles,
  };
}

/** Each pair of expression and message once, sorted. */
function together(lists: readonly (readonly EvaluationError[])[]): readonly EvaluationError[] {
  return distinct(lists.flat(), ({ expression, message }) => JSON.stringify([expression, message]));
}

/** One of each key, sorted by it. */
function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item] as const));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
