import { type Attributes, type Instant, policyKey, type Query, type SchemaReference } from '../../policy/index.js';
import {
  allOf,
  type Condition,
  decided,
  type Filter,
  filterOf,
  filterOfAll,
  filterText,
  FLAT,
  operandText,
  NULLS,
  REFERENCE,
  sameFilter,
  unplannableReason,
  type Writing,
} from '../../residual/index.js';
import { find, type Findable, type FindSettings, Registry } from '../find/registry.js';
import type { RuleEntry } from '../find/tables.js';
import {
  planErrors,
  type PlanRequest,
  type PlanResult,
  refuseActors,
  type UnplannedRule,
  type ValidationError,
} from '../requests.js';
import { type ActionPlan, plan, type Planning } from './plan.js';
import { PlannedConditions, PlanQuery } from './query.js';

/** The planner that bundles bring. It creates its own registry for the first plan. */
export const planner: Planner = (bundle, settings) => {
  const conditions = new PlannedConditions();
  const registry = new Registry(bundle, settings, ({ filters }) => conditions.add(filters));
  const facts = { registry, settings, conditions };
  return Object.assign((request: PlanRequest) => planResources(facts, request), {
    each: (request: PlanRequest) =>
      planGroups(
        facts,
        request,
        request.actions.map((action) => [action]),
      ),
  });
};

/** Creates the planner of a bundle. Called for the first plan of an engine. */
export type Planner = (bundle: Findable, settings: PlanSettings) => Plan;

/** Plans a request. Throws for a principal with actors. */
export interface Plan {
  (request: PlanRequest): PlanResult;
  /** The plan of each action by itself, of one query. Bundles that were compiled before this existed lack it. */
  readonly each?: (request: PlanRequest) => readonly PlanResult[];
}

/** The settings that change plans. */
export interface PlanSettings extends FindSettings {
  readonly globals: Attributes;
  readonly clock: () => Instant;
  /** Undefined for the planner's default. */
  readonly plan: Writing | undefined;
}

/** What the plans of an engine share. */
export interface PlanFacts {
  readonly registry: Registry;
  readonly settings: PlanSettings;
  readonly conditions: PlannedConditions;
}

/** The plan of a request. */
export function planResources(facts: PlanFacts, request: PlanRequest): PlanResult {
  return planGroups(facts, request, [request.actions])[0] as PlanResult;
}

/** A plan for each of several groups of actions, which selects the rows on which all actions of the group are allowed. */
function planGroups(
  facts: PlanFacts,
  request: PlanRequest,
  groups: readonly (readonly string[])[],
): readonly PlanResult[] {
  const { principal, resource } = request;
  refuseActors(principal);
  const found = find(facts.registry, facts.settings, principal, resource);
  const query = new PlanQuery(request, facts.settings);
  return groups.map((actions) => {
    if (!found.hasScope) return unmatched(undefined, NONE);
    return planFound(facts, found, query, actions);
  });
}

function planFound(
  { registry, settings, conditions }: PlanFacts,
  found: ReturnType<typeof find>,
  query: PlanQuery,
  actions: readonly string[],
): PlanResult {
  const writing = settings.plan ?? FLAT;
  const schemas = settings.schemaEnforcement === 'none' ? undefined : found.resource.schemas;
  const violations = planErrors(schemas, query, actions);
  const schema = schemaOfRows(settings.schemaEnforcement === 'reject' ? schemas?.resource : undefined, query, actions);
  if (settings.schemaEnforcement === 'reject' && violations.length > 0 && isRejected(violations, schema))
    return { ...unmatched(undefined, violations), filterDebug: '(false)' };
  const errors = settings.schemaEnforcement === 'reject' ? NONE : violations;

  if (!found.exists) return unmatched(new Map(actions.map((action) => [action, ''])), errors);

  const unplanned: UnplannedRule[] = [];
  const planning: Planning = {
    found,
    query,
    conditions,
    listsDerivedRoles: found.resource.readsRuntime || found.principal?.readsRuntime === true,
    strict: settings.traced,
    fails: settings.traced === undefined ? undefined : (entry, left) => isFailure(query, entry, left),
    scopesWithRules: registry.scopesWithRules,
    unplanned,
  };
  const plans = actions.map((action) => plan(planning, action));
  const allowed = allOf(...plans.map(({ condition }) => condition));
  const rows =
    allowed === false ||
    decidedIfUnplannable(
      schema(allowed),
      () => policyKey('resource', found.resource.kind, found.place.version, ''),
      unplanned,
    );
  // The schema is written once, with the first action.
  const filters = plans.map(({ condition }, position) =>
    writtenFilter(planning, actions[position] as string, { condition, rows: position === 0 ? rows : true }, writing),
  );
  const filter = filterOfPlans(filters, writing);
  const isMatched = plans.some((planned) => planned.isMatched);
  return new Planned(filter, isMatched, mapMatchedScopes(actions, plans), errors, unplanned);
}

/** A class, as an object literal with a getter costs more than the rest of a plan. */
class Planned implements PlanResult {
  constructor(
    readonly filter: Filter,
    private readonly isMatched: boolean,
    readonly matchedScopes: PlanResult['matchedScopes'],
    readonly validationErrors: readonly ValidationError[],
    readonly unplanned: readonly UnplannedRule[],
  ) {}

  get filterDebug(): string {
    return this.isMatched ? filterText(this.filter) : NO_MATCH;
  }
}

/**
 * The filter of one action. The reference's filters lack the guards by which strict evaluation denies. Where guards
 * make no difference the filter has the reference's shape; where they do, that shape would select what check denies,
 * and the filter has the default shape.
 */
function writtenFilter(
  planning: Planning,
  action: string,
  { condition, rows }: { readonly condition: Condition; readonly rows: Condition },
  writing: Writing,
): Filter {
  const whole = allOf(condition, rows);
  if (planning.strict === undefined || writing.shapes === 'flat') return filterOf(whole, writing);
  const exact = filterOf(whole, FLAT);
  const unguarded = allOf(plan({ ...planning, strict: undefined, unplanned: [] }, action).condition, rows);
  return sameFilter(filterOf(unguarded, FLAT), exact) ? filterOf(unguarded, writing) : exact;
}

function mapMatchedScopes(actions: readonly string[], plans: readonly ActionPlan[]): ReadonlyMap<string, string> {
  const scopes = new Map<string, string>();
  for (const [position, action] of actions.entries()) scopes.set(action, plans[position]?.scope ?? '');
  return scopes.size > 1 ? new Map([...scopes].sort(([a], [b]) => (a < b ? -1 : 1))) : scopes;
}

const NO_MATCH = 'NO_MATCH';

const NONE: readonly never[] = [];

/**
 * How filters are written: what `engine.plan.referenceShapes` and `engine.plan.missing` select.
 *
 * @example
 * import { writingOf } from 'authz/runtime';
 *
 * console.log(writingOf(false).shapes); // => flat
 */
export function writingOf(referenceShapes: boolean, missing: 'has' | 'nulls' = 'has'): Writing {
  if (missing !== 'has') return NULLS;
  return referenceShapes ? REFERENCE : FLAT;
}

function filterOfPlans(filters: readonly Filter[], writing: Writing): Filter {
  const [first] = filters;
  return first !== undefined && filters.length === 1 ? first : filterOfAll(filters, writing, operandText);
}

function unmatched(
  matchedScopes: PlanResult['matchedScopes'],
  validationErrors: readonly ValidationError[],
): PlanResult {
  return {
    filter: { kind: 'KIND_ALWAYS_DENIED' },
    filterDebug: NO_MATCH,
    matchedScopes,
    validationErrors,
    unplanned: NONE,
  };
}

/**
 * Whether the principal or every row violates its schema. A violation that unlisted attributes could resolve is none
 * yet, for example of a number of properties or of one branch of several.
 */
function isRejected(errors: readonly ValidationError[], schema: SchemaOfRows): boolean {
  return errors.some(({ source }) => source === 'SOURCE_PRINCIPAL') || schema(true) === false;
}

/**
 * Whether a condition fails. In strict evaluation an error of a whole condition denies; one that depends on an unknown
 * does not (docs/spec/plans.md#strict-evaluation).
 */
function isFailure(query: Query, { traced, tracedDerivedRole }: RuleEntry, left: Condition): boolean {
  if (typeof left !== 'boolean') return false;
  const active = tracedDerivedRole?.(query) ?? true;
  if (active === false) return false;
  return typeof active === 'string' || typeof (traced?.(query) ?? true) === 'string';
}

/**
 * The rows that satisfy the resource schema, given the condition that selected rows satisfy anyway; unplannable if no
 * filter can express them.
 */
export type SchemaOfRows = (facts: Condition) => Condition;

/**
 * Part of every plan under `schema.enforcement: reject`, as check denies the rows that violate the schema. The schema
 * applies to all actions unless `ignoreWhen` exempts all.
 */
function schemaOfRows(schema: SchemaReference | undefined, query: PlanQuery, actions: readonly string[]): SchemaOfRows {
  if (schema === undefined || actions.every((action) => schema.ignores?.(action))) return () => true;
  return (facts) => schema.where?.(query.row, facts) ?? NOT_COMPILED;
}

/** Named in reports instead of a rule. */
export const RESOURCE_SCHEMA = 'resourceSchema';

/** Reports a schema that no filter can express, which then selects nothing. */
export function decidedIfUnplannable(
  condition: Condition,
  findPolicy: () => string,
  unplanned: UnplannedRule[],
): Condition {
  const reason = condition === true ? undefined : unplannableReason(condition);
  if (reason === undefined) return condition;
  unplanned.push({ policy: findPolicy(), rule: RESOURCE_SCHEMA, reason });
  return decided(condition, false);
}

const NOT_COMPILED: Condition = { kind: 'unplannable', reason: 'a schema that the bundle has for checks only' };
