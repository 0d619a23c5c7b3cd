/**
 * How long random tests search: a tenth of their rounds while someone waits for a verdict, all of them before a change
 * lands, and twenty times as many overnight.
 */
export type Effort = 'quick' | 'full' | 'campaign';

const FACTORS: { readonly [effort in Effort]: number } = { quick: 0.1, full: 1, campaign: 20 };

/** The effort of this process, from the environment variable `EFFORT`; `quick` without it. */
export const EFFORT: Effort = parseEffort(process.env['EFFORT']);

/**
 * The first seed of random tests, from the environment variable `SEED`; 1 without it. A failure prints the seed that
 * repeats it.
 */
export const SEED = Number(process.env['SEED'] ?? 1);

/**
 * The number of rounds of a random test.
 *
 * @param full rounds at the effort `full`.
 * @param least rounds that the test needs to show anything.
 * @example
 * for (let round = 0; round < rounds(400); round += 1) compare(random);
 */
export function rounds(full: number, least = 1): number {
  return Math.max(Math.min(full, least), Math.ceil(full * FACTORS[EFFORT]));
}

function parseEffort(text = 'quick'): Effort {
  if (!Object.hasOwn(FACTORS, text)) {
    throw new Error(`EFFORT: must be one of ${Object.keys(FACTORS).join(', ')}, not \`${text}\``);
  }
  return text as Effort;
}
