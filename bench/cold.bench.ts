import { runChild } from './harness/child.js';
import { figure, percent, ratio, type Section, table } from './harness/report.js';
import { statisticsOf } from './harness/rounds.js';
import type { Bundles } from './workload/bundles.js';
import { handWrittenModule } from './workload/hand-written.js';
import { leavePolicies } from './workload/leave-policies.js';

export const COLD_TITLE = 'Ten thousand cold kinds';

/** What is compared, each in its own process. */
export type ColdContestant = 'isAllowed' | 'by hand, a function for each kind' | 'by hand, one function for all kinds';

/** Nanoseconds of CPU per decision, by pass. */
export interface ColdReport {
  readonly passes: readonly number[];
}

/** One decision about each of ten thousand kinds, in random order, from the first one of a process on. */
export async function coldBench(bundles: Bundles): Promise<Section> {
  const { path } = await bundles.get('six-rules', KINDS);
  const byHand = bundles.write('by-hand.mjs', handWrittenModule(leavePolicies(KINDS).limits));
  const reports = new Map(CONTESTANTS.map((name): [ColdContestant, ColdReport[]] => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, samples] of reports)
      samples.push(await runChild<ColdReport>('cold.worker.ts', [name, String(KINDS), path, byHand]));
  const rows = PASSES.flatMap((pass) => {
    const measured = [...reports].map(([name, samples]) => ({
      name,
      ...statisticsOf(samples.map(({ passes }) => passes[pass - 1] ?? Number.NaN)),
    }));
    const fair = measured.find(({ name }) => name === FAIR)?.median ?? Number.NaN;
    return measured.map(({ name, minimum, median, spread }) => [
      `pass ${pass}: ${name}`,
      ratio(median / fair),
      figure(minimum),
      figure(median),
      percent(spread),
    ]);
  });
  return {
    title: COLD_TITLE,
    text: [
      `Nanoseconds of CPU per decision. Each pass asks one question about each of ${KINDS.toLocaleString('en-US')} kinds, in random order. Each implementation runs alone, in its own process; pass 1 has its first decisions.`,
      table(['measured', 'ratio', 'minimum ns', 'median ns', 'spread'], rows),
      'Which comparison is fair? The policies of this workload differ only in two constants, so one function by hand can serve all kinds: it is compiled and optimised once, and stays in the caches of the processor. Policies that have nothing in common need a function each, which is what compiled policies are. So the ratio is to a function for each kind. The rows "by hand" of "A decision, in process" are the single function, but taking turns with implementations that evict it from the caches: its lead is smaller there than here, where it runs alone. Both are comparisons of code with data, not of two ways to write policies.',
    ].join('\n\n'),
    failures: [],
  };
}

const KINDS = 10_000;
const ROUNDS = 5;
/** Which passes are shown, counted from 1. */
const PASSES: readonly number[] = [1, 2, 10, 50];
const FAIR: ColdContestant = 'by hand, a function for each kind';
const CONTESTANTS: readonly ColdContestant[] = [FAIR, 'by hand, one function for all kinds', 'isAllowed'];
