import { type CoverageRecorder, recordSights } from '../../analysis/coverage/coverage.js';
import { LiteralValues } from '../../analysis/witness/literal-values.js';
import { realistic } from '../../analysis/witness/realistic.js';
import { parseInstant } from '../../analysis/witness/replay.js';
import { shrink } from '../../analysis/witness/shrink.js';
import { type Situation, makeSituation } from '../../analysis/question/situation.js';
import { listRequests } from '../test-requests.js';
import { type Goal, listGoals } from './goals.js';
import { Reachability } from './reachability.js';
import { scoreSituation, searchFor, type Trial } from './search.js';
import { makeStarts } from './starts.js';
import {
  type Continue,
  SchemaTrial,
  type SuggestionSubject,
  type Suggestions,
  makeTest,
  type Unmet,
} from './subject.js';
import type { SuggestedTest } from './suite.js';

/**
 * Suggests a test for each rule, clause, action and role that no decision exercises which a recorder knows; one test
 * may exercise several. What the tests exercise is recorded, too.
 */
export async function suggestForCoverage(
  recorder: CoverageRecorder,
  subject: SuggestionSubject,
  goOn: Continue,
): Promise<Suggestions> {
  const seeds = listRequests(subject.calls);
  const trial = new SituationTrial(recorder, subject);
  const goals = recorder.rules().flatMap((record) => listGoals(record));
  const tests: SuggestedTest[] = [];
  const unmet: Unmet[] = [];
  const reachability = new Reachability(subject.prover);
  let done = 0;
  try {
    for (const goal of goals) {
      if (!(await goOn(done, goals.length))) break;
      done += 1;
      const starts = (): readonly Situation[] =>
        makeStarts(goal.record, subject.program, seeds, subject.allowed).map(makeSituation);
      const met = await find(goal, trial, starts, reachability);
      if (met.missed !== undefined) unmet.push({ place: goal.place, text: `${goal.text}: ${met.missed}` });
      if (met.situation === undefined) continue;
      trial.record(met.situation);
      tests.push(makeTest(`${goal.place.file}:${goal.place.line} ${goal.text}`, met.situation, subject));
    }
  } finally {
    await reachability.close();
  }
  return { tests, unmet, isInterrupted: done < goals.length };
}

/** A situation that shows a goal, and what of it no situation was found for. */
interface Found {
  readonly situation?: Situation;
  readonly missed?: string;
}

async function find(
  goal: Goal,
  trial: SituationTrial,
  starts: () => readonly Situation[],
  reachability: Reachability,
): Promise<Found> {
  if (goal.isMet()) return {};
  const found =
    searchFor(goal, starts(), trial) ??
    (await reachability.decide(goal, starts(), (situation) => scoreSituation(goal, situation, trial).isMet));
  if (found !== undefined && found !== 'impossible') return { situation: trial.refined(goal, found) };
  const verdict = found === 'impossible' ? 'proved that no request can' : 'no request found';
  if (goal.otherwise === undefined) return { missed: verdict };
  const weaker = await find(goal.otherwise, trial, starts, reachability);
  const missed =
    weaker.missed ??
    (found === 'impossible' ? 'proved never to decide alone' : `${verdict} for which it decides alone`);
  return { missed, ...(weaker.situation && { situation: weaker.situation }) };
}

/** Observes what situations exercise. */
class SituationTrial extends SchemaTrial implements Trial {
  readonly literalValues: LiteralValues;
  readonly roles: readonly string[] | undefined;

  constructor(
    private readonly recorder: CoverageRecorder,
    private readonly subject: SuggestionSubject,
  ) {
    super(subject);
    this.literalValues = new LiteralValues(subject.program);
    this.roles = subject.allowed.roles;
  }

  observe = ({ request, globals, now }: Situation): ReturnType<CoverageRecorder['observe']> => {
    this.now = parseInstant(now);
    return this.recorder.observe(request, { ...this.subject.engineOptions, globals, clock: this.clock });
  };

  /** Small, and with values that a reader knows. */
  refined(goal: Goal, situation: Situation): Situation {
    const before = scoreSituation(goal, situation, this);
    const shows = (other: Situation): boolean => {
      const { isMet, distance } = scoreSituation(goal, other, this);
      return isMet && distance <= before.distance;
    };
    return realistic(shrink(situation, shows), this.literalValues, shows);
  }

  record(situation: Situation): void {
    recordSights(this.observe(situation));
  }
}
