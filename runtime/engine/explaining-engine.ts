import { NotJsonError } from '../../packages/cel/runtime/index.js';
import { ALLOW, DENY, type DerivedRole, type TracedCondition } from '../policy/index.js';
import { check } from './decide/check.js';
import { type Evaluation, type Outcome, UNDECIDED } from './decide/evaluation.js';
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
    walk?.begin();
    for (let i = 0; i < actions.length; i++) this.visitAction(walk, actions[i] as string, i);
    return evaluation.enteredDerivedRoles;
  }

  /** Errors are those of a decision (runtime/engine/engine.ts). */
  private visitAction(walk: PreparedWalk | undefined, action: string, index: number): void {
    try {
      if (walk === undefined) check(this.evaluation, this.judges, action);
      else walk.visit(this.evaluation, action, index);
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

/** A derived role, its condition, and the number of the result of that. */
interface ListedRole {
  readonly role: DerivedRole;
  readonly condition: TracedCondition | undefined;
  readonly number: number;
}

/** A scope of a walk, with the derived roles to list when it is entered. */
interface ScopeWalk {
  readonly step: ResourceStep;
  readonly derivedRoles: readonly ListedRole[];
}

/** A rule that a role walks, and the numbers of its result and that of its derived role. */
interface RuleVisit {
  readonly entry: RuleEntry;
  readonly number: number;
  readonly roleNumber: number;
}

/** A scope that a role walks, with the rules that reach the role and an action. */
interface RoleWalk {
  readonly scope: ScopeWalk;
  /** The key of its policy. */
  readonly key: string;
  readonly rules: readonly RuleVisit[];
}

/** What each role walks for an action. */
interface ActionWalk {
  readonly action: string;
  readonly roles: readonly (readonly RoleWalk[])[];
}

/**
 * The walk of a check (runtime/engine/decide/check.ts) by the roles of one principal through one chain. What an action and
 * a role reach is found once, and is the same for all resources. The condition of a rule, or of a derived role, is
 * evaluated once a resource.
 */
class PreparedWalk {
  private readonly scopes: readonly ScopeWalk[];
  /** By place in the list of actions, where resources are asked about alike. */
  private readonly actions: ActionWalk[] = [];
  /** The numbers of results, by identity of a rule or by condition. */
  private readonly numbers = new Map<unknown, number>();
  /** What is known of the resource; a failure is not remembered. */
  private readonly results: (boolean | undefined)[] = [];

  constructor(evaluation: Evaluation) {
    const { traced, resource } = evaluation;
    this.scopes = stepsFrom(resource.first).map((step) => ({
      step,
      derivedRoles: collectDerivedRoles(step)
        .filter((role) => reachesByText(role, evaluation.allRoles()))
        .map((role) => {
          const condition = traced?.conditions.get(role.key);
          return { role, condition, number: this.numberOf(condition) };
        }),
    }));
  }

  /** Begins with a resource. */
  begin(): void {
    const { results } = this;
    // A loop: `fill` is a call that leaves compiled code.
    for (let i = 0; i < results.length; i++) results[i] = undefined;
  }

  /** Visits the rules of an action, up to the first role that is allowed. */
  visit(evaluation: Evaluation, action: string, index: number): void {
    evaluation.beginAction();
    const { actions } = this;
    let walk = actions[index];
    if (walk?.action !== action)
      walk = actions.find((known) => known.action === action) ?? this.prepare(evaluation, action);
    const { roles } = walk;
    for (let i = 0; i < roles.length; i++)
      if (this.walkScopes(evaluation, roles[i] as readonly RoleWalk[]) || evaluation.failed) return;
  }

  private prepare(evaluation: Evaluation, action: string): ActionWalk {
    const roles = evaluation.judgedRoles.map((role) => {
      evaluation.judge(role);
      return this.scopes.map((scope) => this.prepareScope(evaluation, scope, action));
    });
    // Requests may name any action.
    if (this.actions.length >= MOST_ACTIONS) this.actions.length = 0;
    const made = { action, roles };
    this.actions.push(made);
    return made;
  }

  private prepareScope(evaluation: Evaluation, scope: ScopeWalk, action: string): RoleWalk {
    const { table } = scope.step;
    if (table === undefined) return { scope, key: '', rules: NONE };
    const { lineage, resource } = evaluation;
    const bits = evaluation.bitsOfLineage(table.names);
    const rules = entriesFor(table, action)
      .filter((entry) => isReached(entry, bits, lineage, action, resource.kind))
      .map((entry) => ({
        entry,
        number: this.numberOf(entry.identity),
        roleNumber: this.numberOf(entry.tracedDerivedRole),
      }));
    return { scope, key: table.key, rules };
  }

  private numberOf(identity: unknown): number {
    const number = this.numbers.get(identity) ?? this.results.push(undefined) - 1;
    this.numbers.set(identity, number);
    return number;
  }

  /** Walks up to the first scope with an outcome. Returns whether it is an ALLOW. */
  private walkScopes(evaluation: Evaluation, walk: readonly RoleWalk[]): boolean {
    for (let i = 0; i < walk.length; i++) {
      const { scope, key, rules } = walk[i] as RoleWalk;
      if (evaluation.listedIn(scope.step) === undefined) this.enterScope(evaluation, scope);
      const outcome = this.visitRules(evaluation, key, rules);
      if (outcome === UNDECIDED || (outcome === ALLOW && scope.step.consents)) continue;
      return outcome === ALLOW;
    }
    return false;
  }

  /** Lists the active derived roles of a scope. Nothing reads those that failed. */
  private enterScope(evaluation: Evaluation, { step, derivedRoles }: ScopeWalk): void {
    const { request, listener } = evaluation;
    const active: string[] = [];
    for (let i = 0; i < derivedRoles.length; i++) {
      const { role, condition, number } = derivedRoles[i] as ListedRole;
      listener?.lists(role);
      const told = this.tell(evaluation, condition, number);
      const holds = request.failures?.stops === true ? told === true : (role.whenListed ?? role.when)(request);
      if (holds) active.push(role.name);
    }
    evaluation.enter(step, { active, failed: NONE });
  }

  /** Evaluates rules in order, up to the first DENY. */
  private visitRules(evaluation: Evaluation, key: string, rules: readonly RuleVisit[]): Outcome {
    let outcome: Outcome = UNDECIDED;
    for (let i = 0; i < rules.length; i++) {
      const visit = rules[i] as RuleVisit;
      const { rule, effect } = visit.entry;
      evaluation.listener?.considers(key, rule.name);
      const told = this.results[visit.number] ?? this.evaluate(evaluation, visit);
      if (typeof told === 'string') evaluation.failed = true;
      if (told !== false && (evaluation.failed || effect === DENY)) return DENY;
      if (told !== false) outcome = ALLOW;
    }
    return outcome;
  }

  /** Whether a rule holds, or its failure. */
  private evaluate(evaluation: Evaluation, { entry, number, roleNumber }: RuleVisit): boolean | string {
    const active = this.tell(evaluation, entry.tracedDerivedRole, roleNumber);
    return this.remember(number, active === true ? (entry.traced?.(evaluation.request) ?? true) : active);
  }

  /** What a condition tells about the resource; without one, that it holds. */
  private tell({ request }: Evaluation, condition: TracedCondition | undefined, number: number): boolean | string {
    return this.results[number] ?? this.remember(number, condition?.(request) ?? true);
  }

  private remember(number: number, told: boolean | string): boolean | string {
    if (typeof told === 'boolean') this.results[number] = told;
    return told;
  }
}

const MOST_ACTIONS = 64;
