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

function parseEffort(text = 'quick'): Effort {
  if (!EFFORTS.includes(text)) throw new Error(`EFFORT: must be one of ${EFFORTS.join(', ')}, not \`${text}\``);
  return text as Effort;
}
