import { runChild } from './harness/child.js';
import { figure, megabytes, percent, ratio, type Section, table } from './harness/report.js';
import { statisticsOf } from './harness/rounds.js';
import type { StartReport } from './start.worker.js';
import type { Bundles } from './workload/bundles.js';
import { leavePolicies } from './workload/leave-policies.js';

export const START_TITLE = 'Starting';

/** The time to load a bundle and make the first decision. Each start has its own process. */
export async function startBench(bundles: Bundles): Promise<Section> {
  const starts = new Map<number, StartReport[]>(SIZES.map((count) => [count, []]));
  // Each round starts every size, so that a burst of other load affects all alike.
  for (let round = 0; round < ROUNDS; round++)
    for (const [count, reports] of starts) reports.push(await startOnce(bundles, count));
  const whole = (count: number): number => statisticsOf((starts.get(count) ?? []).map(millisecondsOf)).median;
  const rows = [...starts].map(([count, reports]) => {
    const { minimum, median, spread } = statisticsOf(reports.map(millisecondsOf));
    const first = statisticsOf(reports.map(({ firstDecision }) => firstDecision)).median;
    const memory = statisticsOf(reports.map((report) => report.memory)).median;
    return [
      count.toLocaleString('en-US'),
      ratio(median / whole(10)),
      figure(minimum),
      figure(median),
      percent(spread),
      figure(first),
      megabytes(memory),
    ];
  });
  return {
    title: START_TITLE,
    text: `Milliseconds from a bundle on disk to the first decision of an engine, without the start of Node.\n\n${table(
      ['policies', 'ratio', 'minimum ms', 'median ms', 'spread', 'of that the engine', 'RSS'],
      rows,
    )}`,
    failures: [],
  };
}

const SIZES = [10, 100, 1_000, 10_000];
const ROUNDS = 5;

async function startOnce(bundles: Bundles, count: number): Promise<StartReport> {
  const { path } = await bundles.get('six-rules', count);
  const [limit] = leavePolicies(count).limits;
  return runChild<StartReport>('start.worker.ts', [path, limit?.kind ?? '']);
}

function millisecondsOf({ load, firstDecision }: StartReport): number {
  return load + firstDecision;
}
