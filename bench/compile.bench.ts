import { aim, figure, megabytes, percent, ratio, type Section, table } from './harness/report.js';
import { statisticsOf } from './harness/rounds.js';
import type { Bundles, MadeBundle } from './workload/bundles.js';

/** The time of a cold compilation by stage: policies of ten rules, each compilation in its own process. */
export async function compileBench(bundles: Bundles): Promise<Section> {
  const thousand = await samples(bundles, 1_000, 5);
  const tenThousand = await samples(bundles, 10_000, 1);
  const met = [total(thousand) < 4_000, total(tenThousand) < 40_000] as const;
  return {
    title: COMPILE_TITLE,
    text: [
      'Policies of ten rules, with derived roles, variables, constants and conditions. The ratio is the share of the total.',
      table(
        ['stage', '1,000: ratio', 'minimum ms', 'median ms', 'spread', '10,000: ratio', 'ms'],
        [...stageNames(thousand).map((name) => stageRow(name, thousand, tenThousand)), totalRow(thousand, tenThousand)],
      ),
      memoryLine(thousand, tenThousand),
      aim('1,000 policies of 10 rules in less than 4 s', met[0]),
      aim('10,000 in less than 40 s', met[1]),
    ].join('\n\n'),
    failures: [],
  };
}

export const COMPILE_TITLE = 'Compiling';

async function samples(bundles: Bundles, count: number, times: number): Promise<readonly MadeBundle[]> {
  const made: MadeBundle[] = [];
  for (let i = 0; i < times; i++) made.push(await bundles.again('ten-rules', count));
  return made;
}

function stageNames([first]: readonly MadeBundle[]): readonly string[] {
  return first?.report.stages.map(({ name }) => name) ?? [];
}

function stageRow(
  name: string,
  thousand: readonly MadeBundle[],
  tenThousand: readonly MadeBundle[],
): readonly string[] {
  const small = statisticsOf(millisecondsOf(thousand, name));
  const large = statisticsOf(millisecondsOf(tenThousand, name));
  const parts = [small.median / total(thousand), large.median / total(tenThousand)] as const;
  return [
    name,
    percent(parts[0]),
    figure(small.minimum),
    figure(small.median),
    percent(small.spread),
    percent(parts[1]),
    figure(large.median),
  ];
}

function totalRow(thousand: readonly MadeBundle[], tenThousand: readonly MadeBundle[]): readonly string[] {
  const small = statisticsOf(thousand.map(wholeOf));
  const perPolicy = total(tenThousand) / 10 / small.median;
  return [
    'all, and 10,000 a policy',
    '1',
    figure(small.minimum),
    figure(small.median),
    percent(small.spread),
    ratio(perPolicy),
    figure(total(tenThousand)),
  ];
}

function memoryLine(thousand: readonly MadeBundle[], tenThousand: readonly MadeBundle[]): string {
  const [small, large] = [thousand, tenThousand].map(([made]) => made?.report);
  return (
    `Peak memory: ${megabytes(small?.peakMemory ?? 0)} and ${megabytes(large?.peakMemory ?? 0)}; ` +
    `bundles of ${megabytes(small?.bundleBytes ?? 0)} and ${megabytes(large?.bundleBytes ?? 0)}.`
  );
}

function millisecondsOf(made: readonly MadeBundle[], name: string): readonly number[] {
  return made.map(({ report }) => report.stages.find((stage) => stage.name === name)?.milliseconds ?? 0);
}

function wholeOf({ report }: MadeBundle): number {
  return report.stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
}

function total(made: readonly MadeBundle[]): number {
  return statisticsOf(made.map(wholeOf)).median;
}
