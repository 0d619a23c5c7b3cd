/**
 * How long random tests search: a tenth of their rounds or less while someone waits for a verdict, all of them before a
 * change lands, and twenty times as many overnight.
 */
export type Effort = 'quick' | 'full' | 'campaign';

const EFFORTS: readonly string[] = ['quick', 'full', 'campaign'] satisfies readonly Effort[];

/** The effort of this process, from the environment variable `EFFORT`; `quick` without it. */
export const EFFORT: Effort = parseEffort(process.env['EFFORT']);

/**
 * The first seed of random tests, from the environment variable `SEED`; 1 without it. A failure prints the seed that
 * repeats it.
 */
export const SEED = Number(process.env['SEED'] ?? 1);

/**
 * Whether the file also runs with another version of Node, from the environment variable `REPEATED`: what does not depend on
 * the version need not run again.
 */
export const IS_REPEATED = process.env['REPEATED'] === '1';

/**
 * The number of rounds of a random test.
 *
 * @param full rounds at the effort `full`.
 * @param quick rounds at the effort `quick`: fewer than a tenth where that takes seconds, more where a tenth shows nothing.
 * @example
 * for (let round = 0; round < rounds(400); round += 1) compare(random);
 */
export function rounds(full: number, quick = full / 10): number {
  if (EFFORT === 'quick') return Math.ceil(Math.min(full, quick));
  return EFFORT === 'full' ? full : full * 20;
}

/** How many random policies a test compiles, and how many questions it asks about each. */
export interface Sample {
  readonly policies: number;
  readonly questions: number;
}

/**
 * The sample of a test that asks many questions about each of its random policies. A campaign asks ten times as many about
 * as many policies as `full`, as compiling takes longer than asking.
 *
 * @param full policies at the effort `full`, and in campaigns.
 * @param quick policies at the effort `quick`.
 */
export function sampleOf(full: number, quick: number, questions: number): Sample {
  return EFFORT === 'campaign'
    ? { policies: full, questions: questions * 10 }
    : { policies: rounds(full, quick), questions };
}

/**
 * The numbers of the rounds of a random test that requires its rounds to show something, such as a request that is
 * allowed. Whether few rounds do is luck, so there are more until they have. If 20 times as many do not, the test is
 * to fail: it no longer generates what it is about.
 *
 * @example
 * for (const round of roundsUntil(rounds(400), () => counts.allowed > 0)) compare(round);
 */
export function* roundsUntil(planned: number, isEnough: () => boolean): Generator<number> {
  for (let round = 0; round < planned || (round < planned * 20 && !isEnough()); round += 1) yield round;
}

function parseEffort(text = 'quick'): Effort {
  if (!EFFORTS.includes(text)) throw new Error(`EFFORT: must be one of ${EFFORTS.join(', ')}, not \`${text}\``);
  return text as Effort;
}
