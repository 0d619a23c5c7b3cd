/**
 * How many patterns are known at most: trying one takes up to a millisecond, and those that tell are found among the
 * first.
 */
const MOST = 200;

const known: (() => string | undefined)[] = [];

/**
 * Makes a pattern known to `patternsLeftToRe2`. `leftToRe2` gives it when RE2 serves it because the host's regular
 * expressions are wrong about it.
 */
export function knowPattern(leftToRe2: () => string | undefined): void {
  if (known.length < MOST) known.push(leftToRe2);
}

/**
 * The constant patterns that RE2 serves because this host's regular expressions have answered wrongly: right, and many
 * times slower. Tries up to 200 patterns.
 */
export function patternsLeftToRe2(): readonly string[] {
  return known.flatMap((leftToRe2) => leftToRe2() ?? []);
}
