import type { InvariantSet, Statement } from '../../../compiler/ir/invariants.js';
import { classesAt, type KnownClasses } from '../decision/classes.js';
import type { Decisions } from '../decision/decisions.js';
import type { NameClasses } from '../decision/name-classes.js';
import type { Point } from '../question/point.js';
import { unusedName } from '../decision/points.js';
import { and, type Formula, hasRole, not, or } from '../formula/formula.js';
import type { FormulaKeys } from '../formula/keys.js';
import type { AssumedSchema, UndecidedReason } from '../question/question.js';
import { isAt, type Replay } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';
import { pointsAbout, pointsWithoutPolicies } from './points-about.js';
import { whenApplies, denyRule, type RuleApplications } from './rule-application.js';
import { matching, type Reading, Subject } from './subject.js';

/** A row of a statement: what decides whether it holds for one point and one class of actions. */
export interface Row {
  readonly point: Point;
  readonly action: string;
  /** The action that `implies` allows, too. */
  readonly also?: string;
  /** Whether a request proves the row, as for `reachable`, or refutes it. */
  readonly isShown: boolean;
  /** Whether no policy can allow anything there: such a row only matters if no other one refutes the statement. */
  readonly isSpare?: true;
  /**
   * Where such a request is looked for: for `reachable` also at points of principals that have policies, and the first
   * one counts. A reason where that is not decided.
   */
  readonly goals: readonly (Goal | UndecidedReason)[];
}

/** A kind of request to find, or to rule out. */
export interface Goal {
  readonly point: Point;
  readonly action: string;
  /** True for exactly these requests, or for more. */
  readonly formula: Formula;
  /** One role of each class. */
  readonly roles: readonly string[];
  /** What attributes satisfy where schemas are enforced. */
  readonly schemas: readonly AssumedSchema[];
  readonly shows: (situation: Situation) => boolean;
}

/** The policies that statements are about. */
export interface Policies {
  readonly decisions: Decisions;
  readonly points: readonly Point[];
  readonly keys: FormulaKeys;
  readonly classes: KnownClasses;
  readonly replay: Replay;
  readonly applications: RuleApplications;
  /** The ids of principals that have policies. */
  readonly principals: ReadonlySet<string>;
  readonly reading: Reading;
  readonly enforcesSchemas: boolean;
  /** Narrows the points. */
  readonly isWantedAt: (point: Point) => boolean;
  /** The names and globs that narrow the actions: they have rows of their own. */
  readonly narrowedActions: readonly string[];
  /** Narrows the actions. */
  readonly isWanted: (action: string) => boolean;
}

/** The rows of a statement, sorted by point and action; none if it matches no policy. */
export function* generateRows({ claim }: Statement, set: InvariantSet, policies: Policies): Generator<Row> {
  switch (claim.form) {
    case 'never': {
      const subject = new Subject(claim.about, set, policies.reading);
      for (const scene of generateScenes(subject, claim.about.actions, set, policies))
        for (const action of scene.listActions(subject))
          yield scene.row(
            action,
            (allowed) => allowed,
            (situation) => scene.isAllowed(situation, action),
          );
      return;
    }
    case 'always': {
      const subject = new Subject(claim.about, set, policies.reading);
      const about = pointsAbout(subject, policies);
      for (const point of [...about, ...pointsWithoutPolicies(subject, about, policies)]) {
        const scene = new Scene(point, subject, claim.about.actions, set, policies);
        const isSpare = about.includes(point) ? {} : { isSpare: true as const };
        for (const action of scene.listActions(subject))
          yield { ...scene.row(action, not, (situation) => !scene.isAllowed(situation, action)), ...isSpare };
      }
      return;
    }
    case 'implies': {
      const subject = new Subject(claim.about, set, policies.reading);
      for (const scene of generateScenes(subject, [...claim.about.actions, ...claim.also], set, policies))
        for (const action of scene.listActions(subject))
          for (const also of matching(claim.also, scene.actions))
            if (action !== also)
              yield {
                ...scene.row(
                  action,
                  (allowed) => and(allowed, not(scene.allowed(also))),
                  (situation) => scene.isAllowed(situation, action) && scene.isDenied(situation, also),
                ),
                also,
              };
      return;
    }
    case 'reachable':
      yield* reachableRows(claim.about.actions, new Subject(claim.about, set, policies.reading), set, policies);
      return;
    case 'final': {
      const rule = denyRule(claim.rule, policies.decisions.program);
      if (rule === undefined) return;
      const { applications, decisions, isWanted } = policies;
      for (const point of policies.points) {
        if (!decisions.at(point, []).modules.includes(rule.module)) continue;
        const scene = new Scene(point, undefined, [], set, policies);
        for (const action of scene.actions) {
          const application = whenApplies(
            rule,
            { kind: point.kind, action, roles: scene.roles },
            scene.decisions,
            decisions.modules,
          );
          if (application !== false && isWanted(action))
            yield scene.row(
              action,
              (allowed) => and(application, allowed),
              (situation) => scene.isAllowed(situation, action) && applications.applies(rule, situation),
            );
        }
      }
    }
  }
}

/**
 * An action is reachable in a scope if any principal may do it there. Principals that have policies are only asked about
 * if no one else may.
 */
function* reachableRows(
  asked: readonly string[],
  subject: Subject,
  set: InvariantSet,
  policies: Policies,
): Generator<Row> {
  const groups = new Map<string, Scene[]>();
  for (const scene of generateScenes(subject, asked, set, policies)) {
    const { kind, version, scope } = scene.point;
    const key = JSON.stringify([kind, version, scope]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [scene]);
    else group.push(scene);
  }
  for (const scenes of groups.values()) {
    const [first] = scenes as [Scene];
    const named = new Set(scenes.flatMap((scene) => scene.named));
    const actions = asked.length === 0 ? [...named] : scenes.flatMap((scene) => scene.listActions(subject));
    for (const action of [...new Set(actions)].filter(policies.isWanted).sort()) {
      const rows = scenes.map((scene) =>
        scene.row(
          action,
          (allowed) => allowed,
          (situation) => scene.isAllowed(situation, action),
        ),
      );
      yield { point: first.point, action, isShown: true, goals: rows.flatMap(({ goals }) => goals) };
    }
  }
}

/** What a statement says at each of its points. */
function* generateScenes(
  subject: Subject,
  asked: readonly string[],
  set: InvariantSet,
  policies: Policies,
): Generator<Scene> {
  for (const point of pointsAbout(subject, policies)) yield new Scene(point, subject, asked, set, policies);
}

/** Actions of role policies are both themselves and globs. */
function isNoGlob(action: string): boolean {
  return !/[*?[{\\]/.test(action);
}

/** What a statement says at one point. */
class Scene {
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** The actions that rules name without a glob. */
  readonly named: readonly string[];
  readonly decisions;
  private readonly roleClasses: NameClasses;
  private readonly actionClasses: NameClasses;

  /** @param asked the actions that the statement names. */
  constructor(
    readonly point: Point,
    private readonly subject: Subject | undefined,
    asked: readonly string[],
    set: InvariantSet,
    private readonly policies: Policies,
  ) {
    const { decisions } = policies;
    const unnamed = decisions.at(point, []);
    const { actions, roles: roleClasses } = classesAt(point, [unnamed], policies.classes, {
      actions: [...asked, ...policies.narrowedActions],
      actionGlobs: policies.enforcesSchemas ? unnamed.exemptActions : [],
      roles: subject?.roles ?? [],
      modules: [set.conditions],
    });
    this.named = classesAt(point, [unnamed], policies.classes).actions.named.filter(isNoGlob);
    this.actionClasses = actions;
    this.roleClasses = roleClasses;
    this.actions = [...actions.named, ...actions.others];
    this.roles = [...roleClasses.named, ...roleClasses.others];
    this.decisions = decisions.at(point, this.roles);
  }

  /** Its actions that a statement is about. */
  listActions(subject: Subject): readonly string[] {
    return subject.listActions(this.actionClasses).filter(this.policies.isWanted);
  }

  /** When an action is allowed. */
  allowed(action: string): Formula {
    return this.decisions.of(action, this.policies.keys);
  }

  isAllowed({ request, ...rest }: Situation, action: string): boolean {
    return this.policies.replay.isAllowed({ ...rest, request: { ...request, action } });
  }

  /** Whether policies deny an action, and not only because attributes violate the schemas that apply to it. */
  isDenied({ request, ...rest }: Situation, action: string): boolean {
    const situation = { ...rest, request: { ...request, action } };
    const { replay, enforcesSchemas } = this.policies;
    return !replay.isAllowed(situation) && (!enforcesSchemas || replay.satisfiesSchemas(situation));
  }

  /**
   * A row that requests refute.
   *
   * @param violating those that do, of those that the statement is about.
   * @param shows the same of a concrete request.
   */
  row(action: string, violating: (allowed: Formula) => Formula, shows: (situation: Situation) => boolean): Row {
    const { point } = this;
    return { point, action, isShown: false, goals: [this.open ?? this.goal(action, violating, shows)] };
  }

  private get open(): UndecidedReason | undefined {
    if (this.decisions.sharesResults) return 'rules share results';
    return this.roleClasses.isComplete && this.actionClasses.isComplete ? undefined : 'too many classes';
  }

  private goal(
    action: string,
    violating: (allowed: Formula) => Formula,
    shows: (situation: Situation) => boolean,
  ): Goal {
    const { subject, roles, policies } = this;
    const point = this.askedPoint();
    // Every principal has a role.
    const premise = subject?.premise(this.roleClasses) ?? or(...roles.map(hasRole));
    return {
      point,
      action,
      formula: and(premise, violating(this.allowed(action))),
      roles,
      schemas: policies.enforcesSchemas ? this.decisions.schemasFor(action) : [],
      shows: (situation) =>
        isAt(point, situation.request, policies.principals, policies.reading.selecting) &&
        (subject === undefined || subject.covers(situation)) &&
        shows(situation) &&
        (!policies.enforcesSchemas || policies.replay.satisfiesSchemas(situation)),
    };
  }

  /** The point, with the id that the statement is about. */
  private askedPoint(): Point {
    const { point, subject, policies } = this;
    if (point.principal !== undefined || subject?.id === undefined) return point;
    const { id } = subject;
    const { defaultScope = '' } = policies.reading.selecting;
    const scopes = policies.decisions.program.modules.flatMap((module) =>
      'scope' in module ? module.scope.split('.') : [],
    );
    // A principal that has policies has none at other scopes.
    const scope = policies.principals.has(id) ? unusedName('elsewhere', scopes) : defaultScope;
    return { ...point, principal: { id, scope, isNamedScope: false, version: undefined } };
  }
}
