import { report } from '../../harness/child.js';
import type { Measurement } from '../../harness/rounds.js';
import { type Built, decideWithAuthz, decideWithPrepared } from './deciders/authz.js';
import { LIBRARIES } from './libraries.js';
import { type Contestant, measureInTurn } from './turns.js';
import type { Decide, Question, Workload } from './workload.js';
import { WORKLOADS } from './workloads.js';

/*
 * Runs one workload in its own process, from one file that the bench builds beside the packages that it installs:
 * `compare` only compares decisions, `measure` measures after that, `start` makes the first decision of one library.
 */

/** What a run of a workload reports. */
export interface WorkloadReport {
  readonly measurements: readonly Measurement[];
  /** The libraries that decided. */
  readonly compared: readonly string[];
  /** Libraries that cannot be loaded here, with the reason. */
  readonly missing: readonly { readonly name: string; readonly reason: string }[];
  /** How many questions were decided, and how many of them are allowed. */
  readonly questions: number;
  readonly allowed: number;
}

/** What the first decision of a library costs, with the import of its package: milliseconds of CPU and of time. */
export interface StartReport {
  readonly cpu: number;
  readonly time: number;
}

const BY_HAND = 'by hand';
const AUTHZ = 'authz';
const PREPARED = 'authz, prepared';

const [mode, name, engine, policies, count, last] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string?,
];
const built: Built = { engine, policies };
const workload = WORKLOADS.find((one) => one.name === name);
if (workload === undefined) throw new Error(`no workload is called ${name}`);
const made = mode === 'start' ? startOnce(workload, last as string) : run(workload, Number(count), Number(last ?? 0));
await made.then(report, (error: Error) => report({ error: error.message }));
// Some libraries keep timers that keep a process running.
process.exit(0);

async function run(of: Workload, size: number, rounds: number): Promise<WorkloadReport> {
  const questions = of.questions(size);
  const missing: { name: string; reason: string }[] = [];
  const contestants: Contestant[] = [
    { name: BY_HAND, decide: (index) => of.byHand(questions[index] as Question) },
    { name: AUTHZ, decide: await decideWithAuthz(built, questions) },
    { name: PREPARED, decide: await decideWithPrepared(built, questions) },
  ];
  for (const library of LIBRARIES) {
    try {
      const decide = await library.prepare(of, questions);
      if (decide !== undefined) contestants.push({ name: library.name, decide });
    } catch (error) {
      const reason = explainMissing(error as NodeJS.ErrnoException);
      if (reason === undefined) throw error;
      missing.push({ name: library.name, reason });
    }
  }
  const allowed = await compareDecisions(contestants, questions);
  return {
    measurements: rounds > 0 ? await measureInTurn(contestants, size, rounds) : [],
    compared: contestants.map((contestant) => contestant.name),
    missing,
    questions: size,
    allowed,
  };
}

/** Throws if a library decides otherwise than the code by hand. Returns how many questions are allowed. */
async function compareDecisions(contestants: readonly Contestant[], questions: readonly Question[]): Promise<number> {
  const [first, ...others] = contestants as readonly [Contestant, ...Contestant[]];
  let allowed = 0;
  for (let index = 0; index < questions.length; index++) {
    const expected = await first.decide(index);
    if (expected) allowed++;
    for (const { name: other, decide } of others)
      if ((await decide(index)) !== expected)
        throw new Error(`${other} decides otherwise than ${first.name}: ${JSON.stringify(questions[index])}`);
  }
  return allowed;
}

async function startOnce(of: Workload, library: string): Promise<StartReport> {
  const questions = of.questions(1);
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const decide =
    library === AUTHZ
      ? await decideWithAuthz(built, questions)
      : await LIBRARIES.find((one) => one.name === library)?.prepare(of, questions);
  await (decide as Decide)(0);
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1000, time: performance.now() - begin };
}

/** Why a library cannot be loaded; undefined for other errors. */
function explainMissing({ code, message }: NodeJS.ErrnoException): string | undefined {
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return 'not installed';
  return message === 'Promise.withResolvers is not a function' ? 'needs Node 22' : undefined;
}
