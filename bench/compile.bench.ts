import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './harness/paths.js';
import { aim, figure, megabytes, percent, ratio, type Section, table } from './harness/report.js';
import { statisticsOf } from './harness/rounds.js';
import type { Bundles, MadeBundle } from './workload/bundles.js';
import { type PolicyTexts, tenRulePolicies } from './workload/leave-policies.js';

/**
 * The time of a cold compilation by stage, in one thread, and from the shell: policies of ten rules, each compilation in
 * its own process.
 */
export async function compileBench(bundles: Bundles): Promise<Section> {
  const thousand = await samples(bundles, 1_000, 5);
  const tenThousand = await samples(bundles, 10_000, 1);
  const again = compiledAgain(5);
  const inParts = compiledFromShell(10_000, 3);
  return {
    title: COMPILE_TITLE,
    text: [
      'Policies of ten rules, with derived roles, variables, constants and conditions. The ratio is the share of the total.',
      table(
        ['stage', '1,000: ratio', 'minimum ms', 'median ms', 'spread', '10,000: ratio', 'ms'],
        [...stageNames(thousand).map((name) => stageRow(name, thousand, tenThousand)), totalRow(thousand, tenThousand)],
      ),
      memoryLine(thousand, tenThousand),
      'From the shell (`dist/authzc.js`): 1,000 policies that an earlier run compiled, and 10,000, which are compiled in parts.',
      againTable(again, inParts),
      aim('one of 1,000 changed in less than 1.2 s', statisticsOf(again.one).median < 1_200),
      aim('none in less than 0.6 s', statisticsOf(again.none).median < 600),
      aim('1,000 policies of 10 rules in less than 2.5 s', statisticsOf(again.everything).median < 2_500),
      aim('10,000 in less than 20 s', statisticsOf(inParts).median < 20_000),
    ].join('\n\n'),
    failures: [],
  };
}

export const COMPILE_TITLE = 'Compiling';

/** Milliseconds of each run of `authzc compile`. */
interface Again {
  readonly everything: readonly number[];
  readonly one: readonly number[];
  readonly none: readonly number[];
}

/** Milliseconds of `authzc compile` without a cache. */
function compiledFromShell(count: number, rounds: number): readonly number[] {
  return inFolder(tenRulePolicies(count), (_, run) => Array.from({ length: rounds }, () => run('--no-cache')));
}

/** Compiles 1,000 policies that are in the cache, in turn without it, after an edit and after none. */
function compiledAgain(rounds: number): Again {
  const texts = tenRulePolicies(1_000);
  return inFolder(texts, (folder, run) => {
    run('--cache-dir=cache');
    const edited = 'leave_request_00000.yaml';
    const measured = Array.from({ length: rounds }, (_, round) => {
      const everything = run('--no-cache');
      const text = texts[edited]?.replace(/longest_leave_days: \d+/, `longest_leave_days: ${100 + round}`) as string;
      writeFileSync(join(folder, 'policies', edited), text);
      return { everything, one: run('--cache-dir=cache'), none: run('--cache-dir=cache') };
    });
    return {
      everything: measured.map(({ everything }) => everything),
      one: measured.map(({ one }) => one),
      none: measured.map(({ none }) => none),
    };
  });
}

/** Writes policies to a folder, in which `run` measures `authzc compile` with an option. */
function inFolder<T>(texts: PolicyTexts, measure: (folder: string, run: (option: string) => number) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const run = (option: string): number => {
    const begin = performance.now();
    const command = [join(ROOT, 'dist', 'authzc.js'), 'compile', 'policies', option];
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - begin;
  };
  try {
    mkdirSync(join(folder, 'policies'));
    for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, 'policies', path), text);
    return measure(folder, run);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function againTable({ everything, one, none }: Again, tenThousand: readonly number[]): string {
  const whole = statisticsOf(everything).median;
  const row = (name: string, milliseconds: readonly number[]): readonly string[] => {
    const { minimum, median, spread } = statisticsOf(milliseconds);
    return [name, ratio(median / whole), figure(minimum), figure(median), percent(spread)];
  };
  return table(
    ['changed', 'ratio', 'minimum ms', 'median ms', 'spread'],
    [
      row('everything (`--no-cache`)', everything),
      row('one policy', one),
      row('nothing', none),
      row('everything, 10,000', tenThousand),
    ],
  );
}

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
