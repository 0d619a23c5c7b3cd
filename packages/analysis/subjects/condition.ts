import { findViolations } from './schema-violations.js';
import { matchesAny, sanitize } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import { placeAt } from '../program/place.js';
import type { GivenRoles } from '../../../runtime/engine/index.js';
import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { AuthoredText, Match, Module } from '../../../compiler/ir/program.js';
import { classesAt, type KnownClasses, NOTHING_ASKED } from '../decision/classes.js';
import { type Decisions, type PointDecisions, rulesAbout } from '../decision/decisions.js';
import { listRolePatterns, type RoleClasses } from '../decision/role-cover.js';
import { type AtomConditions, conditionOfRoles } from '../decision/unknown-roles.js';
import type { Holds } from '../formula/formula.js';
import { isPrincipalAt, residualOfSubject, SESSION } from '../program/filters.js';
import { rowsWithSchema } from '../program/schemas.js';
import type { Point } from '../question/point.js';
import { hasRoleOf, UnknownGlob } from './role-tests.js';
import type { SubjectQuery } from './subject-query.js';

/** Why no filter says which principals may do something. */
export class NotPlanned extends Error {
  constructor(
    message: string,
    /** The rule or the derived role. */
    readonly rule?: PlannedRule,
  ) {
    super(message);
  }
}

/** A rule or a derived role with a condition, and where the condition is. */
export interface PlannedRule {
  readonly policy: string;
  readonly rule: string;
  readonly place: FilePlace;
}

/** The condition of a rule or a derived role about a principal. */
export interface RuleCondition extends PlannedRule {
  readonly condition: residual.Condition;
}

/** Which principals may do something, and by which conditions of rules. */
export interface SubjectCondition {
  readonly condition: residual.Condition;
  readonly rules: readonly RuleCondition[];
}

/** Where policies decide about a known resource. */
export interface SubjectPlace {
  readonly kind: string;
  readonly version: string;
  readonly scope: string;
  /** The scope and version of all principals. */
  readonly principal: { readonly scope: string; readonly version: string };
  /** The roles that tenants define; undefined if they define none. */
  readonly tenants: GivenRoles | undefined;
}

/** What conditions of all resources share. */
export interface SubjectSettings {
  readonly enforcesSchemas: boolean;
  /** The classes of roles that other conditions needed. */
  readonly classes: KnownClasses;
}

/**
 * When a principal may do an action with a known resource. The formula of a decision is exact, so the condition is.
 *
 * @throws {NotPlanned} for a decision that depends on more than the condition can say.
 */
export function subjectCondition(
  decisions: Decisions,
  place: SubjectPlace,
  action: string,
  query: SubjectQuery,
  { enforcesSchemas, classes }: SubjectSettings,
): SubjectCondition {
  const kind = sanitize(place.kind);
  const { version, scope } = place;
  const others: Point = { kind, isNamedKind: true, version, scope, isNamedScope: true, principal: undefined };
  const atOthers = decisions.at(others, []).signature;
  const own = listPrincipals(decisions)
    .map((id): Point => ({ ...others, principal: { id, isNamedScope: true, ...place.principal } }))
    .filter((point) => {
      const at = decisions.at(point, []);
      return at.hasPrincipalRules && at.signature !== atOthers;
    });
  const ids = own.flatMap(({ principal }) => principal?.id ?? []);
  const rules = new RuleConditions();
  const condition = residual.anyOf(
    ...[...own, others].map((point) =>
      residual.allOf(
        isPrincipalAt(point, ids),
        pointCondition(decisions, point, action, { query, rules, enforcesSchemas, classes, tenants: place.tenants }),
      ),
    ),
  );
  return { condition, rules: rules.all };
}

/** The principals that have policies of their own. */
function listPrincipals({ program }: Decisions): readonly string[] {
  const ids = program.modules.flatMap((module) => (module.kind === 'principal' ? module.principal : []));
  return [...new Set(ids)].sort();
}

/** What the conditions of a plan are made of. */
interface Parts extends SubjectSettings {
  readonly query: SubjectQuery;
  readonly rules: RuleConditions;
  readonly tenants: GivenRoles | undefined;
}

function pointCondition(decisions: Decisions, point: Point, action: string, parts: Parts): residual.Condition {
  // Roles that those of tenants stand for are classes of their own.
  const given = [...(parts.tenants?.given.values() ?? [])].flat();
  const { roles } = classesAt(point, [decisions.at(point, [])], parts.classes, { ...NOTHING_ASKED, roles: given });
  if (!roles.isComplete)
    throw new NotPlanned('there are too many role globs to list which of them match the same role');
  const names = [...roles.named, ...roles.others];
  const at = decisions.at(point, names);
  refuseShared(at, { kind: point.kind, action, roles: names });
  const roleClasses = { ...roles, patterns: listRolePatterns(at.modules, point.kind) };
  // Where the roles of a principal stand for none, it is denied, whatever its own policies say.
  const condition = conditionOfRoles(at, names, action, parts.query, new SubjectAtoms(roleClasses, parts));
  return parts.enforcesSchemas && condition !== false
    ? residual.allOf(condition, thoseThatSchemasAccept(at, action, parts.query))
    : condition;
}

/**
 * Refuses rules that share a result of which another role may be the first to ask: which one it is depends on the order
 * of the roles of a principal, and no table has one. Where each role that asks for a result asks the same rule first,
 * the formula of a role has it already.
 */
function refuseShared(
  at: PointDecisions,
  { kind, action, roles }: { readonly kind: string; readonly action: string; readonly roles: readonly string[] },
): void {
  if (!at.sharesResults) return;
  for (const module of at.modules) {
    // The policies of a principal are asked once, whatever roles it has.
    if (module.kind !== 'resource') continue;
    const first = new Map<string, ReadonlySet<string>>();
    for (const { memo, actions, roles: patterns, name, span } of rulesAbout(module, kind)) {
      if (memo === undefined || !matchesAny(...actions)(action)) continue;
      const asking = new Set(roles.filter((role) => at.isReachedBy(role, patterns)));
      const before = first.get(memo);
      if (before === undefined) first.set(memo, asking);
      else if ([...asking].some((role) => !before.has(role)))
        throw new NotPlanned(
          'rules of the same name share a result, and the order of roles decides which rule counts',
          {
            policy: module.key,
            rule: name,
            place: placeAt(span),
          },
        );
    }
  }
}

/** Where schemas are enforced: the principals whose attributes satisfy them, if those of the resource do. */
function thoseThatSchemasAccept(at: PointDecisions, action: string, query: SubjectQuery): residual.Condition {
  if (at.rejectsAll(action)) return false;
  const accepted = at
    .schemasFor(action)
    .map(({ attributesOf, at: address, modules }) =>
      attributesOf === 'principal'
        ? rowsWithSchema(modules, address)(residual.ANY_ROW, true)
        : findViolations(modules, address, query.resource.attr).length === 0,
    );
  const condition = residual.allOf(...accepted);
  const reason = residual.unplannableReason(condition);
  if (reason !== undefined) throw new NotPlanned(`the schema of principals: ${reason}`);
  return condition;
}

/** What policies ask of a principal. */
class SubjectAtoms implements AtomConditions {
  constructor(
    private readonly classes: RoleClasses,
    private readonly parts: Parts,
  ) {}

  ofHolds({ condition, module, failedIsNull }: Holds, query: SubjectQuery): residual.Condition {
    const left = residualOfSubject(condition, module, query, { failedIsNull });
    const reason = residual.unplannableReason(left);
    if (reason !== undefined) throw new NotPlanned(reason, describeRule(module, condition));
    if (this.parts.tenants !== undefined && readsRoles(left))
      throw new NotPlanned(
        '`P.roles` where tenants have roles, which give a principal others',
        describeRule(module, condition),
      );
    this.parts.rules.add(module, condition, left);
    return left;
  }

  ofRoles(holding: ReadonlySet<string>): residual.Condition {
    try {
      return hasRoleOf(this.classes, holding, this.parts.tenants);
    } catch (error) {
      if (error instanceof UnknownGlob)
        throw new NotPlanned(`the glob \`${error.message}\` of roles, which has more than one \`*\``);
      throw error;
    }
  }
}

/** Whether a condition reads the list of roles. */
function readsRoles(condition: residual.Condition): boolean {
  const filter = residual.filterOf(condition);
  return filter.kind === 'KIND_CONDITIONAL' && reads(filter.condition, SESSION.roles);
}

function reads(operand: residual.Operand, variable: string): boolean {
  if ('variable' in operand) return operand.variable === variable;
  return 'expression' in operand && operand.expression.operands.some((part) => reads(part, variable));
}

/** The conditions of rules that a plan is made of. */
class RuleConditions {
  private readonly known = new Map<Match, RuleCondition[]>();

  get all(): readonly RuleCondition[] {
    return [...this.known.values()].flat();
  }

  add(module: Module, match: Match, condition: residual.Condition): void {
    const before = this.known.get(match) ?? [];
    if (before.some((one) => residual.sameCondition(one.condition, condition))) return;
    this.known.set(match, [...before, { ...describeRule(module, match), condition }]);
  }
}

/** The rule or the derived role of a condition. */
function describeRule(module: Module, condition: Match): PlannedRule {
  const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
  const rule = rules.find((one) => one.condition === condition);
  return { policy: module.key, rule: rule?.name ?? '', place: placeAt(findSpan(condition)) };
}

function findSpan(condition: Match): ReturnType<AuthoredText['spanOf']> {
  let first = condition;
  while (first.kind !== 'expr') first = first.of[0] as Match;
  return first.expression.spanOf(0, first.expression.text.length);
}
