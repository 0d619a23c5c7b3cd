import { matchesAny } from '../../../runtime/policy/index.js';
import { classesAt, noClasses, NOTHING_ASKED } from '../decision/classes.js';
import { Decisions, type PointDecisions } from '../decision/decisions.js';
import { checkNarrowing } from '../decision/narrowing.js';
import type { Point } from '../question/point.js';
import { MOST_ROWS, listPoints, TooManyRows } from '../decision/points.js';
import type { ComparedVersion, PolicyVersion } from '../decision/policy-version.js';
import { and, type Formula, not } from '../formula/formula.js';
import { FormulaKeys } from '../formula/keys.js';
import { Answers, undecided } from '../solve/answers.js';
import type { Answer } from '../question/question.js';
import { Replay } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';
import { alsoChanged } from './also-changed.js';
import { Causes } from './causes.js';
import { ComparedPoint, Directions, type Shown, type Replays } from './directions.js';
import { grantChanges } from './grants.js';
import type { DiffOptions } from './options.js';
import type { DiffAnswer, DiffReport, DiffResult, DiffRow, DiffVerdict, WitnessRequest } from './report.js';

/** Compares two sets of policies as `compareVersions` does, and adds the hash of each. */
export async function diffVersions(
  old: PolicyVersion,
  new_: PolicyVersion,
  options: DiffOptions = {},
): Promise<DiffReport> {
  return addHashes(await compareVersions(old, new_, options), old, new_);
}

/** Completes a result for the JSON output, which contains the hash of each set. */
export async function addHashes(result: DiffResult, old: PolicyVersion, new_: PolicyVersion): Promise<DiffReport> {
  return {
    ...result,
    old: { ...result.old, hash: await old.hash() },
    new: { ...result.new, hash: await new_.hash() },
  };
}

/**
 * What changes between two sets of policies: for each point and class of actions, whether any request is denied before
 * and allowed after, and the reverse. Each answer is proved, or shown by a request that the compiled policies of both
 * decide differently, or not decided (docs/spec/analysis.md#what-is-compared).
 *
 * Throws a TooManyRows or a NothingMatches.
 */
export async function compareVersions(
  old: ComparedVersion,
  new_: ComparedVersion,
  options: DiffOptions = {},
): Promise<DiffResult> {
  const comparison = new Comparison(old, new_, options);
  try {
    const rows = await comparison.rows();
    const solver = await comparison.answers.solver();
    const count = (...verdicts: readonly DiffVerdict[]): number =>
      rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
    const { kind, action, scope, effort = 3 } = options;
    return {
      old: { source: old.source },
      new: { source: new_.source },
      rows,
      summary: {
        rows: rows.length,
        unchanged: count('unchanged'),
        widened: count('widened', 'widened, narrowing not decided'),
        narrowed: count('narrowed', 'narrowed, widening not decided'),
        mixed: count('mixed'),
        undecided: rows.filter(({ widened, narrowed }) => widened.answer === '?' || narrowed.answer === '?').length,
      },
      grants: grantChanges(old.program, new_.program),
      reads:
        options.listReads?.(old, new_, [
          ...new Set(rows.flatMap(({ kind: own, verdict }) => (verdict === 'unchanged' ? [] : [own]))),
        ]) ?? [],
      alsoChanged: alsoChanged(old.program, new_.program).filter(
        ({ what }) => what !== 'schema' || options.engine?.schemaEnforcement !== 'reject',
      ),
      limits: {
        solver: solver ?? 'none',
        effort,
        ...(kind !== undefined && { kind }),
        ...(action !== undefined && { action }),
        ...(scope !== undefined && { scope }),
        ...(options.isOver?.() === 'interrupted' && { interrupted: true as const }),
      },
    };
  } finally {
    await comparison.answers.close();
  }
}

/** The two directions of a change. */
interface Change {
  readonly widened: Shown;
  readonly narrowed: Shown;
}

class Comparison {
  readonly answers: Answers;
  private readonly keys = new FormulaKeys();
  /** The situations that show a change of formulas, by their keys: other actions and kinds often have the same. */
  private readonly changes = new Map<
    string,
    { readonly widened: readonly Situation[]; readonly narrowed: readonly Situation[] }
  >();
  private readonly classes = noClasses();
  private readonly sets: readonly [Decisions, Decisions];
  private readonly directions: Directions;
  /** Made for the first change: it has an explanation of every rule. */
  private readonly causes: () => Causes;
  private readonly selecting;

  constructor(
    old: ComparedVersion,
    new_: ComparedVersion,
    private readonly options: DiffOptions,
  ) {
    const { engine = {}, effort = 3, prover, isOver = () => false } = options;
    this.selecting = engine;
    const before = new Decisions(old.program, engine);
    this.sets = [before, old.program === new_.program ? before : new Decisions(new_.program, engine)];
    let causes: Causes | undefined;
    this.causes = () => (causes ??= new Causes([old.lowered, new_.lowered], engine));
    this.answers = new Answers({
      keys: this.keys,
      selecting: engine,
      effort,
      prover,
      isOver: () => isOver() !== false,
    });
    const loadReplays = async (): Promise<Replays> => [
      new Replay(await old.compiled(), engine),
      new Replay(await new_.compiled(), engine),
    ];
    let replays: Promise<Replays> | undefined;
    this.directions = new Directions({
      answers: this.answers,
      selecting: engine,
      loadReplays: () => (replays ??= loadReplays()),
      principals: new Set(
        [...old.program.modules, ...new_.program.modules].flatMap((module) =>
          module.kind === 'principal' ? [module.principal] : [],
        ),
      ),
      existing: options.existing,
    });
  }

  async rows(): Promise<readonly DiffRow[]> {
    const { kind, scope } = this.options;
    const isLenient = this.selecting.lenientScopeSearch === true;
    checkNarrowing(
      this.options,
      this.sets.map(({ program }) => program),
      isLenient,
    );
    const points = listPoints(this.sets, isLenient, { kind, scope });
    const rows: DiffRow[] = [];
    for (const [index, point] of points.entries()) {
      this.options.onStep?.(index + 1, points.length);
      for (const row of await this.rowsAt(point)) rows.push(row);
      if (rows.length > MOST_ROWS) throw new TooManyRows();
    }
    return rows;
  }

  private async rowsAt(point: Point): Promise<readonly DiffRow[]> {
    const unnamed = this.sets.map((set) => set.at(point, [])) as [PointDecisions, PointDecisions];
    const { actions, roles } = classesAt(point, unnamed, this.classes, {
      ...NOTHING_ASKED,
      actions: this.options.action === undefined ? [] : [this.options.action],
      actionGlobs: this.directions.isEnforcing ? unnamed.flatMap((own) => own.exemptActions) : [],
    });
    const isWanted = this.options.action === undefined ? () => true : matchesAny(this.options.action);
    const asked = [
      ...actions.named.map((action) => ({ action, named: true })),
      ...actions.others.map((action) => ({ action, named: false })),
    ]
      .filter(({ action }) => isWanted(action))
      .sort((a, b) => (a.action < b.action ? -1 : 1));
    const isSame = unnamed[0].signature === unnamed[1].signature;
    const names = [...roles.named, ...roles.others].sort();
    const compared = new ComparedPoint(
      point,
      names,
      this.sets.map((set) => set.at(point, names)) as [PointDecisions, PointDecisions],
    );
    const rows: DiffRow[] = [];
    for (const { action, named } of asked) {
      const isAlike = isSame && this.directions.acceptAlike(compared, action);
      const change = isAlike ? UNCHANGED : await this.compareAction(compared, action);
      rows.push(this.row(point, { action, named }, isAlike || roles.isComplete ? change : withoutProofs(change)));
    }
    if (!actions.isComplete && !isSame) rows.push(this.row(point, { action: '*', named: false }, TOO_MANY));
    return rows;
  }

  private async compareAction(compared: ComparedPoint, action: string): Promise<Change> {
    const { decisions } = compared;
    if (decisions.some(({ sharesResults }) => sharesResults)) return SHARED;
    const [before, after] = decisions.map((own) => own.of(action, this.keys)) as [Formula, Formula];
    const acceptAlike = this.directions.acceptAlike(compared, action);
    if (this.keys.of(before) === this.keys.of(after) && acceptAlike) return UNCHANGED;
    // Signals and timers are heard between questions.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.options.isOver?.()) return OUT_OF_TIME;
    const known = this.changes.get(`${this.keys.of(before)} ${this.keys.of(after)}`) ?? NO_SITUATIONS;
    const rules = {
      widened: await this.directions.shown(compared, action, and(after, not(before)), true, known.widened),
      narrowed: await this.directions.shown(compared, action, and(before, not(after)), false, known.narrowed),
    };
    const change = acceptAlike
      ? rules
      : {
          widened: await this.directions.shownBySchemas(compared, action, after, true, rules.widened),
          narrowed: await this.directions.shownBySchemas(compared, action, before, false, rules.narrowed),
        };
    this.changes.set(`${this.keys.of(before)} ${this.keys.of(after)}`, {
      widened: listSituations(change.widened),
      narrowed: listSituations(change.narrowed),
    });
    return change;
  }

  private row(point: Point, action: Pick<DiffRow, 'action' | 'named'>, { widened, narrowed }: Change): DiffRow {
    const { kind, version, scope, principal } = point;
    const roles = [...new Set([...widened.roles, ...narrowed.roles])].sort();
    const situations = [widened.answer, narrowed.answer].flatMap((own) =>
      own.answer === 'yes' ? [own.situation] : [],
    );
    const isChanged = situations.length > 0;
    return {
      kind,
      version,
      scope,
      principal:
        principal === undefined
          ? null
          : {
              id: principal.id,
              scope: principal.scope,
              ...(principal.version !== undefined && { version: principal.version }),
            },
      ...action,
      verdict: judgeAnswers(widened.answer, narrowed.answer),
      roles,
      combined: isChanged && roles.length === 0,
      widened: this.toDiffAnswer(widened.answer, true),
      narrowed: this.toDiffAnswer(narrowed.answer, false),
      causes: isChanged ? this.causes().of(situations) : [],
    };
  }

  private toDiffAnswer(answer: Answer, isWidening: boolean): DiffAnswer {
    if (answer.answer === 'no') return answer;
    if (answer.answer === '?') {
      const { refutedBy, ...open } = answer;
      return refutedBy === undefined ? open : { ...open, request: witnessRequest(refutedBy) };
    }
    const { by, situation } = answer;
    return {
      answer: 'yes',
      by,
      request: witnessRequest(situation),
      before: isWidening ? 'EFFECT_DENY' : 'EFFECT_ALLOW',
      after: isWidening ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
      decidedBy: this.causes().decidedBy(situation),
    };
  }
}

const NO_SITUATIONS = { widened: [], narrowed: [] };

const UNCHANGED = alike({ answer: 'no', by: 'same' });
const SHARED = alike(undecided('rules share results'));
const OUT_OF_TIME = alike(undecided('time'));
const TOO_MANY = alike(undecided('too many classes'));

function alike(answer: Answer): Change {
  return { widened: { answer, roles: [] }, narrowed: { answer, roles: [] } };
}

/** A change where some classes of roles are not known. */
function withoutProofs({ widened, narrowed }: Change): Change {
  const unproved = (shown: Shown): Shown => (shown.answer.answer === 'no' ? TOO_MANY.widened : shown);
  return { widened: unproved(widened), narrowed: unproved(narrowed) };
}

function listSituations({ answer }: Shown): readonly Situation[] {
  return answer.answer === 'yes' ? [answer.situation] : [];
}

function judgeAnswers({ answer: widened }: Answer, { answer: narrowed }: Answer): DiffVerdict {
  return VERDICTS[widened][narrowed];
}

/** Verdicts, by whether a row is widened, then by whether it is narrowed. */
const VERDICTS: Readonly<Record<Answer['answer'], Readonly<Record<Answer['answer'], DiffVerdict>>>> = {
  no: { no: 'unchanged', yes: 'narrowed', '?': 'not widened' },
  yes: { no: 'widened', yes: 'mixed', '?': 'widened, narrowing not decided' },
  '?': { no: 'not narrowed', yes: 'narrowed, widening not decided', '?': 'not decided' },
};

/** A situation as `authzc check` is asked about it. */
export function witnessRequest({ request, globals, now }: Situation): WitnessRequest {
  const { principal, resource, action, auxData } = request;
  return {
    principal: {
      id: principal.id,
      roles: principal.roles,
      attr: principal.attr ?? {},
      ...(principal.policyVersion && { policyVersion: principal.policyVersion }),
      ...(principal.scope && { scope: principal.scope }),
    },
    resource: {
      kind: resource.kind,
      id: resource.id,
      attr: resource.attr ?? {},
      ...(resource.policyVersion && { policyVersion: resource.policyVersion }),
      ...(resource.scope && { scope: resource.scope }),
    },
    action,
    auxData: auxData?.jwts === undefined ? { jwt: auxData?.jwt ?? {} } : { jwts: auxData.jwts },
    globals,
    now,
  };
}
