/**
 * Principals with actors: a check is allowed if it is allowed for the principal and for each actor, and a plan selects
 * what all of them may have (docs/spec/policy-language.md#actors).
 */
import { FLAT, type Writing } from '../residual/index.js';
import type { Explanation } from './decision-trace.js';
import { requirePrincipal } from './input.js';
import type { EnginePart, PrincipalHandler, UntypedEngine } from './options.js';
import type {
  AccessRequest,
  ActionDecision,
  ActorInput,
  CheckRequest,
  CheckResult,
  PlanRequest,
  PlanResult,
  PrincipalInput,
  PrincipalOptions,
  UntypedPrincipal,
  ValidationError,
} from './requests.js';
import { intersection, joined } from './together.js';

/** How many actors a principal may have. */
export const MAX_ACTORS = 8;

/**
 * The part of an engine that decides requests whose principals have actors. A request about one with actors costs as
 * much as one about each of them, within the limits of one call.
 *
 * A call throws a TypeError if there are more than 8 actors, or if an actor has actors.
 *
 * @example
 * import { createEngine, delegation } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [delegation()] });
 * const principal = { id: 'ann', roles: ['user'], actors: [{ id: 'robot', roles: ['user'] }] };
 * const album = { kind: 'album', id: 'a1', attr: { owner: 'ann', visibility: 'private', status: 'OPEN' } };
 * // Ann may edit her album, the robot may not, and so neither may the robot for Ann.
 * console.log(engine.isAllowed({ principal, resource: album, action: 'edit' })); // => false
 */
export function delegation(): EnginePart {
  return (engine) => void engine.handlers.push(new Delegation(engine, engine.settings.plan));
}

/**
 * The principal and its actors in their order, each as a principal of its own.
 *
 * @example
 * import { chainOf } from 'authz/runtime';
 *
 * const chain = chainOf({ id: 'ann', roles: ['user'], actors: [{ id: 'robot', roles: ['agent'] }] });
 * console.log(chain.map(({ id }) => id)); // => [ 'ann', 'robot' ]
 *
 * @throws {TypeError} if there are more than 8 actors, or if an actor has actors.
 */
export function chainOf(principal: PrincipalInput): readonly PrincipalInput[] {
  const { actors = [] } = principal;
  if (!Array.isArray(actors)) throw new TypeError('`principal.actors` is not a list');
  if (actors.length > MAX_ACTORS) throw new TypeError(`\`principal.actors\` has more than ${MAX_ACTORS} items`);
  requirePrincipal(principal);
  for (const [index, actor] of (actors as readonly PrincipalInput[]).entries()) {
    requirePrincipal(actor, false, `principal.actors[${index}]`);
    if (!isAlone(actor)) throw new TypeError('an item of `principal.actors` has actors; list them one after the other');
  }
  return [principal, ...(actors as readonly ActorInput[])].map(alone);
}

class Delegation implements PrincipalHandler {
  constructor(
    private readonly engine: UntypedEngine,
    private readonly writing: Writing = FLAT,
  ) {}

  handles(principal: PrincipalInput): boolean {
    return !isAlone(principal);
  }

  check(request: CheckRequest): readonly CheckResult[] {
    return this.engine.asOne(() => allowedByAll(splitByActor(request).map((one) => this.engine.check(one))));
  }

  isAllowed(request: AccessRequest): boolean {
    return this.engine.asOne(() => splitByActor(request).every((one) => this.engine.isAllowed(one)));
  }

  plan(request: PlanRequest): PlanResult {
    return this.engine.asOne(() => {
      const plans = splitByActor(request).map((one) => this.engine.plan(one));
      const matchedScopes = plans[0]?.matchedScopes;
      return intersection(plans, this.writing, { matchedScopes, validationErrors: errorsOfAll(plans) });
    });
  }

  for(principal: PrincipalInput, options?: PrincipalOptions): UntypedPrincipal {
    const chain = chainOf(principal).map((one) => this.engine.for(one, options));
    return {
      can: (action, resource) => this.engine.asOne(() => chain.every((one) => one.can(action, resource))),
    };
  }

  explain(request: CheckRequest | PlanRequest): Explanation {
    return this.engine.asOne(() =>
      joined(
        splitByActor(request).map((one) => this.engine.explain(one)),
        ([own = []]) => own,
      ),
    );
  }
}

/** Whether a principal has no actors; only then does an engine decide about it alone. */
export function isAlone(principal: PrincipalInput): boolean {
  const actors = principal?.actors;
  return actors === undefined || (Array.isArray(actors) && actors.length === 0);
}

/** Field by field, as a spread leaves out the accessors of a class. */
function alone({ id, roles, attr, policyVersion, scope }: ActorInput): PrincipalInput {
  return { id, roles, attr, policyVersion, scope };
}

/** The same request for the principal alone and for each actor. */
function splitByActor<Request extends { readonly principal: PrincipalInput }>(request: Request): readonly Request[] {
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
