import {
  always,
  type AuxData,
  type DerivedRole,
  type Filters,
  type Instant,
  type PlannedCondition,
  type Principal,
  type Query,
  type Resource,
  type RoleRule,
  type Rule,
} from '../../policy/index.js';
import { allOf, anyOf, type Condition, not, rowOf, sameCondition } from '../../residual/index.js';
import { type PlanRequest, withoutDot } from '../requests.js';

/** What conditions see of a request. */
export class PlanQuery implements Query {
  readonly principal: Principal;
  readonly resource: Resource;
  readonly auxData: AuxData;
  readonly row: Query['row'];
  derivedRoles: Query['derivedRoles'] = NONE;
  readonly effectiveDerivedRoles = NONE;
  readonly failedDerivedRoles = NONE;
  readonly globals: Query['globals'];
  private instant: Instant | undefined = undefined;
  readonly clock: () => Instant;

  constructor({ principal, resource, auxData }: PlanRequest, { globals, clock }: Pick<PlanQuery, 'globals' | 'clock'>) {
    const { id, roles, attr = NOTHING, policyVersion = '', scope = '' } = principal;
    const { kind, attr: listed = NOTHING, policyVersion: version = '', scope: requested = '' } = resource;
    this.principal = { id, roles, attr, policyVersion, scope: withoutDot(scope) };
    this.resource = { kind, id: '', attr: listed, policyVersion: version, scope: withoutDot(requested) };
    this.auxData = { jwt: auxData?.jwt ?? NOTHING, jwts: auxData?.jwts ?? NO_TOKENS };
    this.row = resource.attr === undefined ? ANY_ROW : rowOf(listed);
    this.globals = globals;
    this.clock = clock;
  }

  /** Whether nothing is known of the rows. */
  get isOfAnyRow(): boolean {
    return this.row === ANY_ROW;
  }

  /**
   * One instant for the whole plan, in UTC and whole milliseconds, which stores can compare
   * (docs/spec/plans.md#d-16-time).
   */
  get now(): Instant {
    this.instant ??= inMilliseconds(this.clock());
    return this.instant;
  }
}

/**
 * What the conditions of a bundle leave for a plan. Joins the tables that the modules of its policies have, when a plan is
 * first asked for. A condition that is in none of them can be said of no row.
 */
export class PlannedConditions {
  private readonly own = new Map<Filters[number][0], PlannedCondition>();
  private readonly listed = new Map<Filters[number][0], PlannedCondition>();
  /**
   * What is left of rules that ask for nothing but the row: the same in every plan in which no attribute is listed. Holds
   * no more entries than there are rules.
   */
  private readonly fixed = new Map<Rule, Condition | undefined>();

  constructor(tables: readonly Filters[] = []) {
    for (const table of tables)
      for (const [conditional, filter, filterListed] of table) {
        this.own.set(conditional, filter);
        if (filterListed !== undefined) this.listed.set(conditional, filterListed);
      }
  }

  /** What is left of a rule. */
  of(rule: Rule, query: PlanQuery): Condition {
    if (!query.isOfAnyRow) return this.ofRule(rule, query);
    const fixed = this.fixed.get(rule);
    if (fixed !== undefined) return fixed;
    if (this.fixed.has(rule)) return this.ofRule(rule, query);
    const watched = new WatchedQuery(query);
    const left = this.ofRule(rule, watched);
    this.fixed.set(rule, watched.isRead ? undefined : left);
    return left;
  }

  /** What is left of the condition of a rule of a role policy. */
  ofRoleRule(rule: RoleRule, query: Query): Condition {
    return this.find(rule)(query);
  }

  /** What is left of the condition of a derived role. */
  ofDerivedRole(role: DerivedRole, query: Query): Condition {
    return role.when === always || this.find(role)(query);
  }

  /** The same as it reads while derived roles are listed. */
  ofListedRole(role: DerivedRole, query: Query): Condition {
    const listed = this.listed.get(role);
    return listed === undefined ? this.ofDerivedRole(role, query) : listed(query);
  }

  /** The rule's own part stands first (docs/spec/plans.md#order-of-operands). */
  private ofRule(rule: Rule, query: Query): Condition {
    const { when, derivedRole } = rule;
    if (when === undefined) return true;
    if (derivedRole === undefined) return this.find(rule)(query);
    const active = this.ofDerivedRole(derivedRole, query);
    return when === derivedRole.when ? active : allOf(this.find(rule)(query), active);
  }

  private find(conditional: Filters[number][0]): PlannedCondition {
    return this.own.get(conditional) ?? notCompiled;
  }
}

function notCompiled(): Condition {
  return { kind: 'unplannable', reason: 'a condition that was compiled for checks only' };
}

/** Notices when something is read that another request may say otherwise. */
class WatchedQuery implements Query {
  isRead = false;
  readonly row = ANY_ROW;
  readonly effectiveDerivedRoles = NONE;
  readonly failedDerivedRoles = NONE;

  constructor(private readonly query: PlanQuery) {}

  get globals(): Query['globals'] {
    return this.query.globals;
  }

  get principal(): Principal {
    return this.noticed().principal;
  }

  get resource(): Resource {
    return this.noticed().resource;
  }

  get auxData(): AuxData {
    return this.noticed().auxData;
  }

  get derivedRoles(): Query['derivedRoles'] {
    return this.noticed().derivedRoles;
  }

  get now(): Instant {
    return this.noticed().now;
  }

  private noticed(): PlanQuery {
    this.isRead = true;
    return this.query;
  }
}

const NONE: readonly never[] = [];
const NOTHING = Object.freeze({});
const NO_TOKENS: AuxData['jwts'] = Object.freeze({});
const ANY_ROW = rowOf(NOTHING);

function inMilliseconds({ seconds, nanos }: Instant): Instant {
  return { seconds, nanos: nanos - (nanos % 1_000_000), offset: 0 };
}

/** A rule whose result others share, where one of them may have been visited. */
export interface SharedVisit {
  /** Where the visit happens. */
  readonly reached: Condition;
  readonly holds: Condition;
}

/**
 * The results that rules share with those of their identity (docs/spec/policy-language.md#rules-that-share-a-name),
 * while one action is planned: the rule that is visited first decides for all, and which that is may depend on the row.
 */
export class PlannedResults {
  private readonly visits = new Map<string, SharedVisit[]>();

  /** What a rule comes to at a visit; the visit counts for those after it. */
  visit(identity: string, own: SharedVisit): Condition {
    const known = this.visits.get(identity) ?? [];
    this.visits.set(identity, [...known, own]);
    if (known.every(({ holds }) => sameCondition(holds, own.holds))) return own.holds;
    return known.reduceRight<Condition>(
      (rest, { reached, holds }) => anyOf(allOf(reached, holds), allOf(not(reached), rest)),
      own.holds,
    );
  }

  /** Where a rule of an identity has been visited before the visit that was counted last. */
  visitedBefore(identity: string): Condition {
    return anyOf(...(this.visits.get(identity) ?? []).slice(0, -1).map(({ reached }) => reached));
  }
}
