/** Which actions are allowed on each of several rows, and the plans for columns of queries that say so. */
import type { AnyPermissions } from '../policy/index.js';
import type { CapabilitiesRequest, Capability, PartialRowOf, RowOf } from './capability-requests.js';
import { plannable } from './input.js';
import type { EnginePart, ExtensibleEngine, UntypedEngine } from './options.js';
import type { PlanRequest, PlanResult } from './requests.js';

/**
 * The part of an engine that decides about many rows and actions: `engine.capabilities` and `engine.planCapabilities`.
 *
 * @example
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const cells = engine.capabilities({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   rows: [{ id: 'a1', attr: { owner: 'ann' } }, { id: 'a2', attr: { owner: 'bob', visibility: 'public' } }],
 *   actions: ['view', 'edit'],
 * });
 * console.log(cells); // => [ { view: true, edit: true }, { view: true, edit: false } ]
 */
export function capabilities(): EnginePart {
  return (engine) => {
    engine.capabilities = ((request: AnyRequest) =>
      request.partial === true
        ? partialCapabilities(engine, request)
        : wholeCapabilities(engine, request)) as ExtensibleEngine['capabilities'];
    engine.planCapabilities = ((request: PlanRequest) =>
      planEach(engine, request)) as ExtensibleEngine['planCapabilities'];
  };
}

/** A request with the rows of any kind. */
export interface AnyRequest extends Omit<CapabilitiesRequest<AnyPermissions, string, string>, 'rows' | 'partial'> {
  readonly rows: readonly (RowOf<AnyPermissions, string> | PartialRowOf<AnyPermissions, string>)[];
  readonly partial?: boolean | undefined;
}

/** Decides each action on each row, as `isAllowed` does. */
function wholeCapabilities(
  engine: Pick<UntypedEngine, 'for'>,
  { principal, resource, rows, actions, auxData, tenants }: AnyRequest,
): readonly { readonly [action: string]: boolean }[] {
  const prepared = engine.for(principal, { auxData, tenants });
  return rows.map((row) => {
    const whole = resourceOf(row, resource) as RowOf<AnyPermissions, string> & { readonly kind: string };
    return ofActions(actions, (action) => prepared.can(action, whole));
  });
}

/**
 * What is known about each action on each row. Attributes that a row does not list are unknown, so this plans with those
 * that it lists.
 */
function partialCapabilities(
  engine: ExtensibleEngine | Pick<UntypedEngine, 'plan'>,
  { principal, resource, rows, actions, auxData, tenants }: AnyRequest,
): readonly { readonly [action: string]: Capability }[] {
  return rows.map((row) => {
    const { id: _, ...known } = resourceOf(row, resource);
    const plans = planEach(engine, { principal, resource: known, actions, auxData, tenants });
    return ofActions(actions, (action) => capabilityOf(plans[action] as PlanResult));
  });
}

/**
 * What a plan says about the rows with the attributes of its request. Rules that no filter can express are left out of
 * it, so it may say less than what is allowed.
 */
function capabilityOf({ filter, unplanned }: PlanResult): Capability {
  if (filter.kind === 'KIND_ALWAYS_ALLOWED') return 'allowed';
  return filter.kind === 'KIND_ALWAYS_DENIED' && unplanned.length === 0 ? 'denied' : 'conditional';
}

function planEach(
  engine: ExtensibleEngine | Pick<UntypedEngine, 'plan'>,
  request: PlanRequest,
): { readonly [action: string]: PlanResult } {
  const { actions } = request;
  if (!('planner' in engine) || engine.findHandler(request.principal) !== undefined)
    return planOneByOne(engine, request);
  const { each } = engine.planner();
  if (each === undefined) return planOneByOne(engine, request);
  const plans = engine.asOne(() => each(plannable(request, engine.mayLackRoles)));
  return ofActions(actions, (_, index) => plans[index] as PlanResult);
}

function planOneByOne(
  engine: Pick<UntypedEngine, 'plan'>,
  request: PlanRequest,
): { readonly [action: string]: PlanResult } {
  return ofActions(request.actions, (action) => engine.plan({ ...request, actions: [action] }));
}

/** A row as a resource of the kind of all rows. */
function resourceOf(
  { id, attr, scope, policyVersion }: AnyRequest['rows'][number],
  { kind, scope: usual, policyVersion: usualVersion }: AnyRequest['resource'],
): PartialRowOf<AnyPermissions, string> & { readonly kind: string } {
  return { kind, id, attr, scope: scope ?? usual, policyVersion: policyVersion ?? usualVersion };
}

/** An object by action, also for one that is named `__proto__`. */
function ofActions<Value>(
  actions: readonly string[],
  valueOf: (action: string, index: number) => Value,
): { readonly [action: string]: Value } {
  return Object.fromEntries(actions.map((action, index) => [action, valueOf(action, index)]));
}
