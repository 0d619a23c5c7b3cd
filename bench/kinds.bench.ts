import { runChild } from './harness/child.js';
import { aim, figure, percent, type Section, table } from './harness/report.js';
import type { Measurement } from './harness/rounds.js';
import type { Bundles } from './workload/bundles.js';

export const KINDS_TITLE = 'How many kinds are in use';

/** One bundle of ten thousand policies: what a decision costs depends on how many of them are in use. */
export async function kindsBench(bundles: Bundles): Promise<Section> {
  const { path } = await bundles.get('six-rules', POLICIES);
  const rows: { readonly kinds: number; readonly questions: number; readonly measured: KindsReport }[] = [];
  for (const [kinds, questions] of USES)
    rows.push({
      kinds,
      questions,
      measured: await runChild('kinds.worker.ts', [path, String(kinds), String(questions)]),
    });
  const all = rows.find(({ kinds, questions }) => kinds === POLICIES && questions === QUESTIONS);
  return {
    title: KINDS_TITLE,
    text: [
      `Nanoseconds of CPU per decision of \`isAllowed\`, alone in its process, by a bundle of ${POLICIES.toLocaleString('en-US')} policies of which some are asked about, at random. *Reading* is what it costs to read five fields of each request.`,
      table(
        ['kinds', 'requests', 'minimum ns', 'median ns', 'spread', 'reading, ns'],
        rows.map(({ kinds, questions, measured: { decisions, reading } }) => [
          kinds.toLocaleString('en-US'),
          questions.toLocaleString('en-US'),
          figure(decisions.minimum),
          figure(decisions.median),
          percent(decisions.spread),
          figure(reading.median),
        ]),
      ),
      'So the policies that nobody asks about cost nothing: a decision is as fast as by a bundle of ten policies while what is in use fits the caches of the processor. "Out of 10,000 policies" above is slower, as six other implementations evict the policies and the requests from the caches between its turns.',
      aim('less than 600 ns per decision about 10,000 kinds', (all?.measured.decisions.median ?? 0) < 600),
    ].join('\n\n'),
    failures: [],
  };
}

/** What a worker measures. */
export interface KindsReport {
  readonly decisions: Measurement;
  /** Reading the requests, which are many as well. */
  readonly reading: Measurement;
}

const POLICIES = 10_000;
const QUESTIONS = 16_384;

/** How many kinds are asked about, and by how many requests. */
const USES: readonly (readonly [kinds: number, questions: number])[] = [
  [10, QUESTIONS],
  [100, QUESTIONS],
  [1_000, QUESTIONS],
  [3_000, QUESTIONS],
  [POLICIES, QUESTIONS],
  [POLICIES, 4_096],
  [POLICIES, 1_024],
];
