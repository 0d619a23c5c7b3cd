import { createEngine } from '../runtime/engine/index.js';
import { aim, figure, ratio, type Section, table } from './harness/report.js';
import { type Contestant, measure } from './harness/rounds.js';
import { compiled } from './workload/bundles.js';
import { SCALE_CASES, type ScaleCase } from './workload/scale-cases.js';

export const SCALE_TITLE = 'Sizes';

/** How the cost of a check and of a plan grows when something becomes four times as large. */
export async function scaleBench(): Promise<Section> {
  const rows: (readonly string[])[] = [];
  const steep: string[] = [];
  for (const one of SCALE_CASES) {
    const growths = await growthsOf(one);
    rows.push([
      one.name(one.size),
      ...growths.flatMap(({ small, large }) => [ratio(large / small), figure(small / 1000), figure(large / 1000)]),
    ]);
    for (const { call, small, large } of growths)
      if (large / small > MOST_GROWTH) steep.push(`${call} of ${one.name(one.size)} ${ratio(large / small)}`);
  }
  return {
    title: SCALE_TITLE,
    text: [
      'Microseconds of CPU of a check and of a plan by size n, and by four times n. No rule applies, so each is evaluated. The plan knows no attributes of the resource.',
      table(['n', 'check 4n / n', 'check n', 'check 4n', 'plan 4n / n', 'plan n', 'plan 4n'], rows),
      aim(
        `linear: less than ${MOST_GROWTH}x for four times the size${steep.length === 0 ? '' : ` (${steep.join(', ')})`}`,
        steep.length === 0,
      ),
    ].join('\n\n'),
    failures: [],
  };
}

/** Between 4x, which is linear, and 16x, which is quadratic: larger tables and code also miss more caches. */
const MOST_GROWTH = 8;

interface Growth {
  readonly call: 'check' | 'plan';
  /** Nanoseconds. */
  readonly small: number;
  readonly large: number;
}

async function growthsOf({ size, of }: ScaleCase): Promise<readonly Growth[]> {
  const [small, large] = [await contestantsOf(of(size)), await contestantsOf(of(4 * size))];
  return (['check', 'plan'] as const).map((call) => {
    const [one, four] = measure([small[call], large[call]], 1, { rounds: 15, passes: 40 });
    return { call, small: one?.minimum ?? Number.NaN, large: four?.minimum ?? Number.NaN };
  });
}

async function contestantsOf({
  texts,
  check,
  plan,
}: ReturnType<ScaleCase['of']>): Promise<{ readonly [call in Growth['call']]: Contestant }> {
  const engine = createEngine(await compiled(texts));
  if (engine.check(check)[0]?.actions[0]?.effect !== DENY) throw new Error('a rule applies');
  return {
    check: { name: 'check', run: () => engine.check(check) },
    plan: { name: 'plan', run: () => engine.plan(plan) },
  };
}

const DENY = 2;
