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
import {
  ANY_ROW,
  type Attempt,
  allOf,
  anyOf,
  type Condition,
  LENIENT,
  not,
  rowOf,
  STRICT,
  sameCondition,
  sharedCondition,
  unplannable,
} from '../../residual/index.js';
import { type PlanRequest, withoutDot } from '../requests.js';

/** The request that conditions of a plan see. */
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
   * One instant for the whole plan, in UTC and whole milliseconds, which databases can compare
   * (docs/spec/plans.md#d-16-time).
   */
  get now(): Instant {
    this.instant ??= inMilliseconds(this.clock());
    return this.instant;
  }
}

/** A rule or a derived role, whose condition has a filter. */
type Conditional = Filters[number][0];

interface Planned {
  readonly filter: PlannedCondition;
  /** Its filter while derived roles are listed. */
  readonly listed: PlannedCondition;
  /**
   * The residual if it depends only on the row, as it is the same in every plan without listed attributes; `varies` if it
   * depends on more, and undefined if neither is known yet.
   */
  fixed: Condition | 'varies' | undefined;
}

/**
 * The filters of the conditions of a bundle, from the tables of its policy modules. A condition that is in none of them
 * is unplannable.
 */
export class PlannedConditions {
  private readonly planned = new Map<Conditional, Planned>();

  /** Adds the filters of some conditions. */
  add(tables: readonly Filters[] = []): void {
    for (const table of tables)
      for (const [conditional, filter, listed = filter] of table)
        this.planned.set(conditional, { filter, listed, fixed: undefined });
  }

  /** The residual of a rule: its own condition comes first (docs/spec/plans.md#order-of-operands). */
  of(rule: Rule, query: PlanQuery): Condition {
    const { when, derivedRole } = rule;
    const own = when === undefined || this.residual(rule, query);
    return derivedRole === undefined ? own : allOf(own, this.ofDerivedRole(derivedRole, query));
  }

  /** The residual of a rule of a role policy. */
  ofRoleRule(rule: RoleRule, query: PlanQuery): Condition {
    return this.residual(rule, query);
  }

  /** Where the own condition of a rule or derived role can be evaluated, and where it then holds. */
  attempt(conditional: Conditional, query: Query): Attempt {
    return this.find(conditional).filter(query, STRICT);
  }

  /** The residual of a derived role. */
  ofDerivedRole(role: DerivedRole, query: PlanQuery): Condition {
    return role.when === always || this.residual(role, query);
  }

  /** The same while derived roles are listed. */
  ofListedRole(role: DerivedRole, query: Query): Condition {
    // A role without a condition may have a filter: analyses ask where its parent roles are held.
    return (role.when === always && !this.planned.has(role)) || this.find(role).listed(query, LENIENT);
  }

  private residual(conditional: Conditional, query: PlanQuery): Condition {
    const planned = this.find(conditional);
    if (!query.isOfAnyRow || planned.fixed === 'varies') return planned.filter(query, LENIENT);
    if (planned.fixed !== undefined) return planned.fixed;
    const watched = new WatchedQuery(query);
    const left = planned.filter(watched, LENIENT);
    planned.fixed = watched.isRead ? 'varies' : sharedCondition(left);
    return left;
  }

  private find(conditional: Conditional): Planned {
    return this.planned.get(conditional) ?? NOT_COMPILED;
  }
}

const notCompiled: PlannedCondition = (_, algebra) =>
  algebra.holds(unplannable('a condition that was compiled for checks only'));

const NOT_COMPILED: Planned = { filter: notCompiled, listed: notCompiled, fixed: 'varies' };

/** Records whether something is read that may differ in another request. */
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

function inMilliseconds({ seconds, nanos }: Instant): Instant {
  return { seconds, nanos: nanos - (nanos % 1_000_000), offset: 0 };
}

/** A visit of a rule that shares its result. */
export interface SharedVisit {
  /** Where the visit happens. */
  readonly reached: Condition;
  readonly holds: Condition;
}

/**
 * The shared results of rules (docs/spec/policy-language.md#rules-that-share-a-name) in the plan of one action: the
 * rule that is visited first decides for all, and which one that is may depend on the row.
 */
export class PlannedResults {
  private readonly visits = new Map<string, SharedVisit[]>();

  /** Adds a visit of a rule, and returns its result there. */
  visit(identity: string, own: SharedVisit): Condition {
    const known = this.visits.get(identity) ?? [];
    this.visits.set(identity, [...known, own]);
    if (known.every(({ holds }) => sameCondition(holds, own.holds))) return own.holds;
    return known.reduceRight<Condition>(
      (rest, { reached, holds }) => anyOf(allOf(reached, holds), allOf(not(reached), rest)),
      own.holds,
    );
  }

  /** Where a rule of an identity was visited before the latest visit. */
  visitedBefore(identity: string): Condition {
    return anyOf(...(this.visits.get(identity) ?? []).slice(0, -1).map(({ reached }) => reached));
  }
}
