import type { CompiledBundle } from '../../../runtime/engine/index.js';
import { matchesAny } from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { InvariantSet, Statement } from '../../../compiler/ir/invariants.js';
import { fold } from '../../../compiler/optimise/index.js';
import { noClasses } from '../decision/classes.js';
import { Decisions } from '../decision/decisions.js';
import type { PolicyVersion } from '../decision/policy-version.js';
import { checkNarrowing } from '../decision/narrowing.js';
import { narrowed, listPoints } from '../decision/points.js';
import { witnessRequest } from '../diff/diff.js';
import type { DiffOptions } from '../diff/options.js';

import { makeExplainer } from '../explain/explain.js';
import { placeAt } from '../program/place.js';
import { FormulaKeys } from '../formula/keys.js';
import { Answers, undecided } from '../solve/answers.js';
import type { Answer, Undecided } from '../question/question.js';
import { configured, parseInstant, Replay } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';
import type { StatementAnswer, VerifiedRow, VerifiedStatement, VerifyReport } from './report.js';
import { type Goal, type Policies, type Row, generateRows } from './rows.js';
import { RuleApplications } from './rule-application.js';

/** How statements are verified. */
export type VerifyOptions = DiffOptions;

/**
 * Proves or refutes the statements of invariants about a set of policies (docs/spec/analysis.md#verified-statements). What refutes a
 * statement, or shows what is reachable, was decided by the compiled policies. Throws a TooManyRows or a NothingMatches.
 */
export async function verifyStatements(
  policies: PolicyVersion,
  invariants: readonly InvariantSet[],
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const verifier = new Verifier(policies, await policies.compiled(), options);
  try {
    const statements: VerifiedStatement[] = [];
    const all = invariants.reduce((sum, set) => sum + set.statements.length, 0);
    for (const set of invariants)
      for (const statement of set.statements) {
        options.onStep?.(statements.length + 1, all);
        statements.push(await verifier.statement(statement, set));
      }
    return verifier.report(statements);
  } finally {
    await verifier.close();
  }
}

class Verifier {
  private readonly answers: Answers;
  private readonly policies: Policies;
  private readonly explained;
  private isInterrupted = false;

  constructor(
    version: PolicyVersion,
    compiled: CompiledBundle,
    private readonly options: VerifyOptions,
  ) {
    const { engine = {}, effort = 3, prover, kind, action, scope } = options;
    const keys = new FormulaKeys();
    const decisions = new Decisions(version.program, engine);
    const isLenient = engine.lenientScopeSearch === true;
    checkNarrowing(options, [version.program], isLenient);
    this.policies = {
      decisions,
      keys,
      classes: noClasses(),
      points: listPoints([decisions], isLenient, { kind, scope }),
      replay: new Replay(compiled, engine),
      applications: new RuleApplications(version.program, engine),
      principals: new Set(
        version.program.modules.flatMap((module) => (module.kind === 'principal' ? [module.principal] : [])),
      ),
      reading: { selecting: engine, globals: engine.globals },
      enforcesSchemas: engine.schemaEnforcement === 'reject',
      isWantedAt: narrowed({ kind, scope }),
      narrowedActions: action === undefined ? [] : [action],
      isWanted: action === undefined ? () => true : matchesAny(action),
    };
    this.answers = new Answers({ keys, selecting: engine, effort, prover, isOver: () => this.isOver() });
    const lowered = fold(version.lowered);
    this.explained = ({ request, globals, now }: Situation) =>
      makeExplainer(lowered, {
        ...engine,
        globals: engine.globals ?? (configured(globals) as typeof globals),
        clock: () => parseInstant(now),
      }).explain(request);
  }

  close(): Promise<void> {
    return this.answers.close();
  }

  async statement({ name, span, claim }: Statement, set: InvariantSet): Promise<VerifiedStatement> {
    const rows: VerifiedRow[] = [];
    for (const row of generateRows({ name, span, claim }, set, this.policies)) {
      if (row.isSpare === true && rows.some(({ answer }) => answer === 'refuted')) break;
      rows.push(await this.row(row));
    }
    rows.sort((a, b) => (formatPlace(a) < formatPlace(b) ? -1 : formatPlace(a) > formatPlace(b) ? 1 : 0));
    const has = (answer: StatementAnswer): boolean => rows.some((row) => row.answer === answer);
    const isAboutNothing = rows.length === 0;
    return {
      invariants: set.name,
      name,
      place: placeAt(span),
      form: claim.form,
      answer: isAboutNothing || has('refuted') ? 'refuted' : has('undecided') ? 'undecided' : 'proved',
      ...(isAboutNothing && { reason: 'matches no policy' }),
      rows,
    };
  }

  async report(statements: readonly VerifiedStatement[]): Promise<VerifyReport> {
    const { effort = 3, kind, action, scope } = this.options;
    const count = (answer: StatementAnswer): number =>
      statements.filter((statement) => statement.answer === answer).length;
    return {
      statements,
      summary: {
        statements: statements.length,
        proved: count('proved'),
        refuted: count('refuted'),
        undecided: count('undecided'),
      },
      limits: {
        solver: (await this.answers.solver()) ?? 'none',
        effort,
        ...(kind !== undefined && { kind }),
        ...(action !== undefined && { action }),
        ...(scope !== undefined && { scope }),
        ...(this.isInterrupted && { interrupted: true }),
      },
    };
  }

  private async row({ point, action, also, isShown, goals }: Row): Promise<VerifiedRow> {
    const { kind, version, scope, principal } = point;
    const { id, scope: at, version: own } = principal ?? {};
    return {
      kind,
      version,
      scope,
      principal: id === undefined ? null : { id, scope: at ?? '', ...(own !== undefined && { version: own }) },
      action,
      ...(also !== undefined && { also }),
      ...this.answered(await this.first(goals), isShown),
    };
  }

  /** The first request that a goal finds, or else what is known about all. */
  private async first(goals: Row['goals']): Promise<Answer> {
    let open: Undecided | undefined;
    let answer: Answer | undefined;
    for (const goal of goals) {
      answer = typeof goal === 'string' ? undecided(goal) : await this.ask(goal);
      if (answer.answer === 'yes') return answer;
      if (answer.answer === '?') open ??= answer;
    }
    return open ?? answer ?? invariant('a row has a goal');
  }

  private async ask({ shows, ...question }: Goal): Promise<Answer> {
    // Signals and timers are heard between questions.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isOver()) return undecided('time');
    const { principals, reading } = this.policies;
    return this.answers.answer({ ...question, principals, globals: reading.globals }, shows);
  }

  private answered(answer: Answer, isShown: boolean): Pick<VerifiedRow, 'answer' | 'by' | 'request' | 'reason'> {
    switch (answer.answer) {
      case 'no':
        return { answer: isShown ? 'refuted' : 'proved', by: answer.by };
      case 'yes':
        return { answer: isShown ? 'proved' : 'refuted', by: answer.by, ...this.witness(answer.situation) };
      case '?': {
        const { reason, uninterpreted, refutedBy } = answer;
        return {
          answer: 'undecided',
          reason,
          ...(uninterpreted.length > 0 && { uninterpreted }),
          ...(refutedBy !== undefined && { request: witnessRequest(refutedBy) }),
        };
      }
    }
  }

  private witness(situation: Situation): Pick<VerifiedRow, 'request' | 'decidedBy'> {
    const [decider] = this.explained(situation).decidedBy;
    return {
      request: witnessRequest(situation),
      decidedBy: decider === undefined ? null : { rule: decider.rule, place: decider.place },
    };
  }

  private isOver(): boolean {
    const reason = this.options.isOver?.() ?? false;
    if (reason === 'interrupted') this.isInterrupted = true;
    return reason !== false;
  }
}

/** The key by which rows are sorted; those of one place are in order already. */
function formatPlace({ kind, version, scope, principal }: VerifiedRow): string {
  return [kind, version, scope, principal?.id ?? '', principal?.scope ?? '', principal?.version ?? ''].join('\0');
}
