import { NotJsonError } from '../../packages/cel/runtime/index.js';
import { ALLOW, DENY, type DerivedRole, type TracedCondition } from '../policy/index.js';
import { check } from './decide/check.js';
import { type Evaluation, type Outcome, UNDECIDED } from './decide/evaluation.js';
import { evaluateEntry } from './decide/visit-rules.js';
import { PolicyEngine } from './engine.js';
import { collectDerivedRoles, reachesByText, type ResourceChain, type ResourceStep, stepsFrom } from './find/chains.js';
import { entriesFor, isReached, type RuleEntry } from './find/tables.js';
import { requireEntry, requireEntryList } from './input.js';
import type { CheckRequest, ResourceActions } from './requests.js';

/** Visits what a check visits, for its listener, without the decisions and outputs. */
export class ExplainingEngine extends PolicyEngine {
  /** The roles that walked each chain last. */
  private readonly walkers = new WeakMap<ResourceChain, Walkers>();

  /** Visits the rules that a check visits. Returns the active derived roles of each resource. */
  visit(request: CheckRequest): readonly (readonly string[])[] {
    const { principal, resources, auxData } = request;
    return this.asOne(() => {
      requireEntryList(resources);
      this.begin(principal, auxData);
      const derivedRoles: (readonly string[])[] = [];
      // One after the other: a reader of entries sees when each begins.
      for (let index = 0; index < resources.length; index++)
        derivedRoles.push(this.visitResource(resources[index] as ResourceActions, index));
      return derivedRoles;
    }, request);
  }

  private visitResource(entry: ResourceActions, index: number): readonly string[] {
    const { resource, actions } = entry ?? {};
    const { evaluation } = this;
    evaluation.listener?.beginResource();
    requireEntry(resource, actions, index);
    if (!this.turnTo(resource)) return NONE;
    this.guard.turn(evaluation, this.limits);
    evaluation.listsDerivedRoles = true;
    if (this.settings.schemaEnforcement === 'reject' && this.schemaErrors(actions).length > 0) return NONE;
    const walk = this.findWalk();
    for (let i = 0; i < actions.length; i++) this.visitAction(walk, actions[i] as string);
    return evaluation.enteredDerivedRoles;
  }

  /** Errors are those of a decision (runtime/engine/engine.ts). */
  private visitAction(walk: PreparedWalk | undefined, action: string): void {
    try {
      if (walk === undefined) check(this.evaluation, this.judges, action);
      else walk.visit(this.evaluation, action);
    } catch (error) {
      if (error instanceof NotJsonError) throw error;
      this.guard.passOn(error);
    }
  }

  /** The walk of the roles through the chain; undefined if it is not prepared. */
  private findWalk(): PreparedWalk | undefined {
    const { evaluation, walkers } = this;
    const { principal, resource, lineages, request } = evaluation;
    if (principal !== undefined || this.bundle.surveys) return undefined;
    const known = walkers.get(resource);
    if (known === undefined || known.lineages !== lineages || !isSameList(known.roles, request.principal.roles)) {
      walkers.set(resource, { roles: [...request.principal.roles], lineages, walks: 1, prepared: undefined });
      return undefined;
    }
    known.walks += 1;
    if (known.walks === WALKS_BEFORE && isPreparable(resource)) known.prepared = new PreparedWalk(evaluation);
    return known.prepared;
  }
}

/** The roles of the latest request about a chain. */
interface Walkers {
  readonly roles: readonly string[];
  readonly lineages: Evaluation['lineages'];
  /** How many resources they have walked, one after the other. */
  walks: number;
  prepared: PreparedWalk | undefined;
}

/** Preparing a walk costs as much as a few: it begins with this one of the same roles, of one request or several. */
const WALKS_BEFORE = 3;

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

const NONE: readonly never[] = [];

/** Whether resource policies alone decide, by conditions that do not read which derived roles are active. */
function isPreparable({ first, readsRuntime }: ResourceChain): boolean {
  return !readsRuntime && stepsFrom(first).every(({ limits }) => limits === undefined);
}

/** A scope of a walk, with the derived roles to list when it is entered, and the condition of each. */
interface ScopeWalk {
  readonly step: ResourceStep;
  readonly derivedRoles: readonly { readonly role: DerivedRole; readonly condition: TracedCondition | undefined }[];
}

/** A scope that a role walks, with the rules that reach the role and an action. */
interface RoleWalk {
  readonly scope: ScopeWalk;
  /** The key of its policy. */
  readonly key: string;
  readonly entries: readonly RuleEntry[];
}

/**
 * The walk of a check (runtime/engine/decide/check.ts) by the roles of one principal through one chain. What an action and
 * a role reach is found once, and is the same for all resources. The condition of a derived role is evaluated once a
 * resource.
 */
class PreparedWalk {
  private readonly scopes: readonly ScopeWalk[];
  /** For each action what each role walks. */
  private readonly actions = new Map<string, readonly (readonly RoleWalk[])[]>();

  constructor(evaluation: Evaluation) {
    const { traced, resource } = evaluation;
    this.scopes = stepsFrom(resource.first).map((step) => ({
      step,
      derivedRoles: collectDerivedRoles(step)
        .filter((role) => reachesByText(role, evaluation.allRoles()))
        .map((role) => ({ role, condition: traced?.conditions.get(role.key) })),
    }));
  }

  /** Visits the rules of an action, up to the first role that is allowed. */
  visit(evaluation: Evaluation, action: string): void {
    evaluation.beginAction();
    const roles = this.actions.get(action) ?? this.prepare(evaluation, action);
    for (let i = 0; i < roles.length; i++)
      if (walkScopes(evaluation, roles[i] as readonly RoleWalk[]) || evaluation.failed) return;
  }

  private prepare(evaluation: Evaluation, action: string): readonly (readonly RoleWalk[])[] {
    const made = evaluation.judgedRoles.map((role) => {
      evaluation.judge(role);
      return this.scopes.map((scope) => prepareScope(evaluation, scope, action));
    });
    // Requests may name any action.
    if (this.actions.size >= MOST_ACTIONS) this.actions.clear();
    this.actions.set(action, made);
    return made;
  }
}

const MOST_ACTIONS = 64;

function prepareScope(evaluation: Evaluation, scope: ScopeWalk, action: string): RoleWalk {
  const { table } = scope.step;
  if (table === undefined) return { scope, key: '', entries: NONE };
  const { lineage, resource } = evaluation;
  const bits = evaluation.bitsOfLineage(table.names);
  const entries = entriesFor(table, action)
    .filter((entry) => isReached(entry, bits, lineage, action, resource.kind))
    .map((entry) => withRemembered(evaluation, entry));
  return { scope, key: table.key, entries };
}

/** A rule that remembers the result of its derived role. */
function withRemembered(evaluation: Evaluation, entry: RuleEntry): RuleEntry {
  const { tracedDerivedRole } = entry;
  if (tracedDerivedRole === undefined) return entry;
  return { ...entry, tracedDerivedRole: () => tellRemembered(evaluation, tracedDerivedRole) };
}

/** The result of a condition about the resource; a failure is not remembered. */
function tellRemembered(evaluation: Evaluation, condition: TracedCondition): boolean | string {
  const remembered = evaluation.firstResult(condition);
  if (remembered !== undefined) return remembered;
  const told = condition(evaluation.request);
  if (typeof told === 'boolean') evaluation.rememberResult(condition, told);
  return told;
}

/** Walks up to the first scope with an outcome. Returns whether it is an ALLOW. */
function walkScopes(evaluation: Evaluation, walk: readonly RoleWalk[]): boolean {
  for (let i = 0; i < walk.length; i++) {
    const { scope, key, entries } = walk[i] as RoleWalk;
    if (evaluation.listedIn(scope.step) === undefined) enterScope(evaluation, scope);
    const outcome = visitRules(evaluation, key, entries);
    if (outcome === UNDECIDED || (outcome === ALLOW && scope.step.consents)) continue;
    return outcome === ALLOW;
  }
  return false;
}

/** Lists the active derived roles of a scope. Nothing reads those that failed. */
function enterScope(evaluation: Evaluation, { step, derivedRoles }: ScopeWalk): void {
  const { request, listener } = evaluation;
  const active: string[] = [];
  for (const { role, condition } of derivedRoles) {
    listener?.lists(role);
    const told = condition === undefined || tellRemembered(evaluation, condition);
    const holds = request.failures?.stops === true ? told === true : (role.whenListed ?? role.when)(request);
    if (holds) active.push(role.name);
  }
  evaluation.enter(step, { active, failed: NONE });
}

/** Evaluates rules in order, up to the first DENY. */
function visitRules(evaluation: Evaluation, key: string, entries: readonly RuleEntry[]): Outcome {
  let outcome: Outcome = UNDECIDED;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as RuleEntry;
    evaluation.listener?.considers(key, entry.rule.name);
    const result = evaluateEntry(evaluation, entry);
    if (result === 'fails') evaluation.failed = true;
    if (result === 'fails' || (result === 'holds' && entry.effect === DENY)) return DENY;
    if (result === 'holds') outcome = ALLOW;
  }
  return outcome;
}
