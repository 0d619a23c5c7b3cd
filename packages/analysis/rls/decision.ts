import { PlanQuery } from '../../../runtime/engine/parts.js';
import { type Query, sanitize } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import { classesAt } from '../decision/classes.js';
import type { Decisions, PointDecisions } from '../decision/decisions.js';
import { listPoints } from '../decision/points.js';
import { type AtomConditions, conditionOfRoles } from '../decision/unknown-roles.js';
import { listRolePatterns, type RoleClasses } from '../decision/role-cover.js';
import type { Holds } from '../formula/formula.js';
import { rowsWithSchema } from '../program/schemas.js';
import { isPrincipalAt, residualOfSession } from '../program/filters.js';
import type { Point, PointPrincipal } from '../question/point.js';
import type { ComputedValues } from './computed-values.js';
import type { RoleGates } from './roles.js';

/** Where a table's rows are decided about. */
export interface DecisionPlace {
  readonly kind: string;
  readonly version: string;
  readonly scope: string;
  /** Whether the scope stands for all that have no policy. */
  readonly isOther?: boolean;
}

/** Why there is no policy of a database that says what policies decide. */
export class NotInDatabase extends Error {}

/** What conditions of sessions are made of. */
export interface SessionParts {
  readonly gates: RoleGates;
  readonly computed: ComputedValues;
  /** Whether SQL says when a condition holds, and when it does not. */
  readonly isSql: (condition: residual.Condition) => boolean;
  /** Whether a row that violates its schema is denied. */
  readonly enforcesSchemas: boolean;
}

/**
 * When whoever runs a statement may do an action with a row: the principal and the row are both unknown. The formula of
 * a decision is exact, so the condition is; roles that policies treat alike share a part of it.
 *
 * @throws {NotInDatabase} for decisions that depend on more than the condition can say.
 */
export function conditionInScope(
  decisions: Decisions,
  place: DecisionPlace,
  action: string,
  parts: SessionParts,
): residual.Condition {
  if (isOfTenant(decisions.program, place.scope))
    throw new NotInDatabase('roles of tenants, which give a principal other roles for each action');
  const points = pointsIn(decisions, place);
  const known = [...new Set(points.flatMap(({ principal }) => principal?.id ?? []))];
  return residual.anyOf(
    ...points.map((point) => {
      const condition = pointCondition(decisions, point, place, action, parts);
      return residual.allOf(isPrincipalAt(point, known), condition);
    }),
  );
}

/** The points at which policies decide for sessions: principals with policies of their own, and all others. */
export function pointsIn(decisions: Decisions, place: DecisionPlace): readonly Point[] {
  const kind = sanitize(place.kind);
  // The scope of no policy stands for all others, where principal policies still decide.
  const isNamed = decisions.program.modules.some(
    (module) =>
      (module.kind === 'resource' || (module.kind === 'role' && module.rules.length > 0)) &&
      module.scope === place.scope,
  );
  return listPoints([decisions], false, { kind }, (point) => {
    const isScope = isNamed ? point.scope === place.scope : !point.isNamedScope;
    return point.kind === kind && point.version === place.version && isScope;
  }).filter(({ principal }) => principal === undefined || decidesForSessions(principal, decisions));
}

/** Whether a scope is one of a tenant whose own roles decide. */
function isOfTenant({ tenantRoles }: Program, scope: string): boolean {
  if (tenantRoles === undefined) return false;
  return tenantRoles.scope === '' ? scope !== '' : scope.startsWith(`${tenantRoles.scope}.`);
}

/** Whether the policies of a point decide for a principal of a session, which has no scope and the default version. */
function decidesForSessions({ scope, isNamedScope, version }: PointPrincipal, { program }: Decisions): boolean {
  if (scope !== '' || !isNamedScope) return false;
  if (version === undefined || version === DEFAULT_VERSION) return true;
  const versions = program.modules.flatMap((module) => (module.kind === 'principal' ? module.version : []));
  // The version of no policy stands for all others.
  return !versions.includes(DEFAULT_VERSION) && !versions.includes(version);
}

const DEFAULT_VERSION = 'default';

function pointCondition(
  decisions: Decisions,
  point: Point,
  place: DecisionPlace,
  action: string,
  parts: SessionParts,
): residual.Condition {
  const { roles } = classesAt(point, [decisions.at(point, [])]);
  if (!roles.isComplete)
    throw new NotInDatabase('there are too many role globs to list which of them match the same role');
  const names = [...roles.named, ...roles.others];
  const at = decisions.at(point, names);
  if (at.sharesResults) throw new NotInDatabase('rules of the same name share a result');
  const classes = { ...roles, patterns: listRolePatterns(at.modules, point.kind) };
  const query = sessionQuery(place);
  const condition = conditionOfRoles(at, names, action, query, new SessionAtoms(classes, parts));
  return parts.enforcesSchemas
    ? residual.allOf(condition, rowsThatSchemasAccept(at, action, condition, parts.computed))
    : condition;
}

/** Where schemas are enforced: the rows and the principals whose attributes satisfy them. */
function rowsThatSchemasAccept(
  at: PointDecisions,
  action: string,
  facts: residual.Condition,
  computed: ComputedValues,
): residual.Condition {
  if (at.rejectsAll(action)) return false;
  const accepted = at
    .schemasFor(action)
    .map(({ attributesOf, at: address, modules }) =>
      attributesOf === 'principal'
        ? residual.holds(computed.schema(address, modules))
        : rowsWithSchema(modules, address)(residual.ANY_ROW, facts),
    );
  const condition = residual.allOf(...accepted);
  const reason = residual.unplannableReason(condition);
  if (reason !== undefined) throw new NotInDatabase(reason);
  return condition;
}

/** A request without a principal: what a session has is not read from it. */
function sessionQuery({ kind, version, scope, isOther = false }: DecisionPlace): Query {
  const query = new PlanQuery(
    {
      principal: { id: '', roles: [] },
      resource: { kind, policyVersion: version, scope },
      actions: [],
    },
    { globals: {}, clock: () => ({ seconds: 0, nanos: 0, offset: 0 }) },
  );
  if (isOther)
    Object.defineProperty(query.resource, 'scope', {
      get(): never {
        throw new NotInDatabase('a condition that reads the scope of a row, in a scope that has no policy');
      },
    });
  return query;
}

/** What a session says of the atoms of formulas. */
class SessionAtoms implements AtomConditions {
  constructor(
    private readonly classes: RoleClasses,
    private readonly parts: SessionParts,
  ) {}

  ofHolds({ condition, module, failedIsNull }: Holds, query: Query): residual.Condition {
    const left = residualOfSession(condition, module, query, { failedIsNull });
    const { isSql, computed } = this.parts;
    if (isSql(left)) return left;
    const compute: Parameters<typeof residualOfSession>[4] = (...asked) => computed.expression(...asked);
    const leftToSql = residualOfSession(condition, module, query, { failedIsNull }, compute);
    if (isSql(leftToSql)) return leftToSql;
    const reason = residual.unplannableReason(left);
    if (reason !== undefined) throw new NotInDatabase(reason);
    return left;
  }

  ofRoles(holding: ReadonlySet<string>): residual.Condition {
    const gate = this.parts.gates.gate(this.classes, holding);
    return gate === undefined ? true : residual.holds(gate);
  }
}
