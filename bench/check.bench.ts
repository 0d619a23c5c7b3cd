import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AccessRequest, Engine, PreparedPrincipal } from '../runtime/engine/index.js';
import { createEngine } from '../runtime/engine/index.js';
import type { PolicyBundle } from '../runtime/policy/index.js';
import { bytesAllocated } from './harness/allocation.js';
import { runChild } from './harness/child.js';
import { aim, figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Contestant, type Measurement, measure, statisticsOf } from './harness/rounds.js';
import { type Bundles, compiled, type Shape } from './workload/bundles.js';
import { caslAbilities } from './workload/casl.js';
import { handWritten, handWrittenModule } from './workload/hand-written.js';
import { hotLeavePolicy, type LeaveLimits, leavePolicies } from './workload/leave-policies.js';
import { EMPLOYEES, type LeaveQuestion, leaveQuestions } from './workload/leave-requests.js';
import {
  type DocumentQuestion,
  documentQuestions,
  isDocumentAllowed,
  TRIVIAL_POLICY,
} from './workload/trivial-policy.js';

export const CHECK_TITLE = 'A decision, in process';

/**
 * The cost of one decision: by the leave policy alone and among many of its shape, compared with the same policy
 * written by hand and in CASL.
 */
export async function checkBench(bundles: Bundles): Promise<Section> {
  // Each alone: in one process, V8 would know several functions that decide where programs have those of one bundle.
  const trivial = await measureInProcesses(() => runChild<Scenario>('check.worker.ts', []));
  const alone = async (shape: Shape, count: number): Promise<Scenario> =>
    runChild('check.worker.ts', [shape, String(count), (await bundles.get(shape, count)).path]);
  const hot = await measureInProcesses(() => alone('hot', 1));
  const many: Scenario[] = [];
  for (const count of [10, 100, 1_000, 10_000]) many.push(await alone('six-rules', count));
  const [thousand, tenThousand] = many.slice(-2) as [Scenario, Scenario];
  const scenarios = [trivial, hot, ...many];
  const trivialRatio = (name: string): number => medianOf(trivial, name) / medianOf(trivial, BY_HAND);
  const hotRatio = medianOf(hot, ENGINE) / medianOf(hot, BY_HAND);
  const failures = scenarios.flatMap(({ name, timelessBytes }) =>
    timelessBytes < 1 ? [] : [`${name}: a decision allocates ${figure(timelessBytes)} bytes`],
  );
  return {
    title: CHECK_TITLE,
    text: [
      `Nanoseconds per decision, for requests that rotate through the policies at random. All implementations make the same decisions. Each number of policies is measured in a process of its own, as a program has one bundle. The rows of a trivial rule and of one hot policy are medians of ${PROCESSES} processes, because V8 does not compile such short code alike in each run. By hand, one function serves all kinds, as they differ only in two constants. Policies that have nothing in common need a function for each kind, and that is the fairer comparison with many policies: see "Ten thousand cold kinds".`,
      ...scenarios.map(scenarioText),
      [
        aim('at most 2.0x the time of hand-written code for a trivial rule', trivialRatio(ENGINE) <= 2),
        aim('at most 1.5x of it for a prepared principal', trivialRatio(PREPARED) <= 1.5),
        aim('at most 120 ns for a check of one action by a trivial rule', minimumOf(trivial, 'check') <= 120),
        aim('at most 1.3x the time of hand-written code for a hot policy', hotRatio <= 1.3),
        aim(
          'at most 1.05x the time of hand-written code for a hot policy and a prepared principal',
          medianOf(hot, PREPARED) / medianOf(hot, BY_HAND) <= 1.05,
        ),
        aim(
          'at most 1.8x the time of hand-written code out of 1,000 policies',
          medianOf(thousand, ENGINE) / medianOf(thousand, BY_HAND) <= 1.8,
        ),
        aim('less than 600 ns per decision out of 10,000 policies', medianOf(tenThousand, ENGINE) < 600),
        aim('0 bytes per decision, except for timestamps that conditions create', failures.length === 0),
      ].join('\n'),
    ].join('\n\n'),
    failures,
  };
}

const PROCESSES = 5;

/** What the same scenario measures in several processes: each row has the median of their medians. */
async function measureInProcesses(run: () => Promise<Scenario>): Promise<Scenario> {
  const runs: Scenario[] = [];
  while (runs.length < PROCESSES) runs.push(await run());
  const [first] = runs as [Scenario];
  const middle = (of: (scenario: Scenario) => number): number => statisticsOf(runs.map(of)).median;
  return {
    name: first.name,
    measurements: first.measurements.map(({ name }, index) => ({
      name,
      minimum: Math.min(...runs.map(({ measurements }) => (measurements[index] as Measurement).minimum)),
      median: middle(({ measurements }) => (measurements[index] as Measurement).median),
      spread: middle(({ measurements }) => (measurements[index] as Measurement).spread),
    })),
    bytes: middle(({ bytes }) => bytes),
    timelessBytes: middle(({ timelessBytes }) => timelessBytes),
  };
}

const BY_HAND = 'by hand';
const ENGINE = 'isAllowed';
const PREPARED = 'for(principal).can';

/** The measurements of one set of policies. */
export interface Scenario {
  readonly name: string;
  readonly measurements: readonly Measurement[];
  /** Bytes allocated per decision: by any, and by one whose conditions create no timestamp. */
  readonly bytes: number;
  readonly timelessBytes: number;
}

/** The worst case: nearly all of a decision is what surrounds the rule. `check.worker.ts` runs it. */
export async function trivialScenario(): Promise<Scenario> {
  const questions = documentQuestions(2_048);
  const engine = createEngine(await compiled(TRIVIAL_POLICY));
  const contestants = contestantsOf(engine, questions, (index) =>
    isDocumentAllowed(questions[index] as DocumentQuestion),
  );
  compareAnswers(contestants, questions);
  const isAllowed = (index: number): boolean => engine.isAllowed(questions[index] as DocumentQuestion);
  const bytes = bytesAllocated(isAllowed, questions.length);
  return {
    name: 'A trivial rule',
    measurements: measure(contestants, questions.length, { passes: 20 }),
    bytes,
    timelessBytes: bytes,
  };
}

/** The leave policy, or many of its shape, from a bundle. `check.worker.ts` runs it as well. */
export async function leaveScenario(shape: string, count: number, path: string): Promise<Scenario> {
  const { limits } = shape === 'hot' ? hotLeavePolicy() : leavePolicies(count);
  const { policies } = (await import(path)) as { readonly policies: PolicyBundle };
  const questions = leaveQuestions(count === 1 ? 2_048 : 16_384, limits);
  const engine = createEngine(policies);
  const byHand = handWritten(limits);
  const contestants = [
    ...contestantsOf(engine, questions, (index) => byHand(questions[index] as LeaveQuestion)),
    // The abilities of sixteen people for 10,000 kinds are a million rules.
    ...(limits.length <= 1_000 ? [{ name: 'CASL', run: caslAbilities(limits, questions) }] : []),
  ];
  if (count > 1) contestants.splice(1, 0, await functionForEachKind(dirname(path), questions, limits));
  compareAnswers(contestants, questions);
  const timeless = questions.filter(({ action }) => !ACTIONS_WITH_A_TERM.has(action));
  const isAllowed = contestants.find(({ name }) => name === ENGINE) as Contestant;
  return {
    name: count === 1 ? 'One hot policy' : `Out of ${count.toLocaleString('en-US')} policies`,
    measurements: measure(contestants, questions.length, { passes: count === 1 ? 8 : 1 }),
    bytes: bytesAllocated(isAllowed.run, questions.length),
    timelessBytes: bytesAllocated((index) => engine.isAllowed(timeless[index] as LeaveQuestion), timeless.length),
  };
}

function contestantsOf(engine: Engine, questions: readonly AccessRequest[], byHand: Contestant['run']): Contestant[] {
  const question = (index: number): AccessRequest => questions[index] as AccessRequest;
  const principals = new Map(EMPLOYEES.map((employee) => [employee.id, engine.for(employee)]));
  const prepared = questions.map(({ principal }) => principals.get(principal.id));
  const calls = questions.map(({ principal, resource, action }) => ({
    principal,
    resources: [{ resource, actions: [action] }],
  }));
  const callsWithMeta = calls.map((call) => ({ ...call, includeMeta: true }));
  const check = (call: (typeof calls)[number] | undefined): boolean =>
    engine.check(call as (typeof calls)[number])[0]?.actions[0]?.effect === ALLOW;
  return [
    { name: BY_HAND, run: byHand },
    { name: ENGINE, run: (index) => engine.isAllowed(question(index)) },
    {
      name: PREPARED,
      run: (index) => {
        const { resource, action } = question(index);
        return (prepared[index] as PreparedPrincipal).can(action, resource);
      },
    },
    { name: 'check', run: (index) => check(calls[index]) },
    { name: 'check with meta', run: (index) => check(callsWithMeta[index]) },
  ];
}

async function functionForEachKind(
  directory: string,
  questions: readonly LeaveQuestion[],
  limits: readonly LeaveLimits[],
): Promise<Contestant> {
  const path = join(directory, 'by-hand.mjs');
  writeFileSync(path, handWrittenModule(limits));
  const { isAllowed } = (await import(path)) as { readonly isAllowed: (question: LeaveQuestion) => boolean };
  return {
    name: 'by hand, a function for each kind',
    run: (index) => isAllowed(questions[index] as LeaveQuestion),
  };
}

const ALLOW = 1;

/** Denied once the leave has started. The condition creates timestamps from a string and from the time of the call. */
const ACTIONS_WITH_A_TERM: ReadonlySet<string> = new Set(['edit', 'delete', 'approve']);

/** A contestant whose decisions differ is not measured. */
function compareAnswers(contestants: readonly Contestant[], questions: readonly AccessRequest[]): void {
  const [first, ...others] = contestants as readonly [Contestant, ...Contestant[]];
  for (let index = 0; index < questions.length; index++) {
    const answer = first.run(index);
    for (const { name, run } of others) {
      if (run(index) !== answer)
        throw new Error(`${name} answers otherwise than ${first.name}: ${JSON.stringify(questions[index])}`);
    }
  }
}

function scenarioText({ name, measurements, bytes, timelessBytes }: Scenario): string {
  const reference = medianOf({ measurements }, BY_HAND);
  const rows = measurements.map((one) => [
    one.name,
    ratio(one.median / reference),
    figure(one.minimum),
    figure(one.median),
    percent(one.spread),
  ]);
  const allocated = `\`isAllowed\` allocates ${figure(bytes)} bytes per decision, ${figure(timelessBytes)} if no condition creates a timestamp.`;
  return `### ${name}\n\n${table(['measured', 'ratio', 'minimum ns', 'median ns', 'spread'], rows)}\n\n${allocated}`;
}

function minimumOf({ measurements }: Scenario, name: string): number {
  return measurements.find((measurement) => measurement.name === name)?.minimum ?? Number.NaN;
}

function medianOf({ measurements }: Pick<Scenario, 'measurements'>, name: string): number {
  return measurements.find((measurement) => measurement.name === name)?.median ?? Number.NaN;
}
