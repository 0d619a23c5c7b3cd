/** How many times as much the larger of two inputs has. */
const TIMES = 16;

/**
 * By how many times its cost may grow: 16 if it is linear, 256 if it is quadratic, and so much between them that neither
 * a cold cache nor the garbage collector turns one into the other.
 */
const MOST_GROWTH = 64;

/** The least that the smaller input counts for, in microseconds: what is shorter shows how caches work. */
const SHORTEST = 200;

/** How often an input is tried at least: the first runs are of code that is not compiled yet. */
const FEWEST_TRIES = 4;

/** How often it is tried before it counts as more than linear. */
const MOST_TRIES = 16;

/**
 * Checks that the cost of an action grows no faster than the size of its input. What else the machine does makes single runs
 * slower, never faster, so it compares the cheapest of several.
 *
 * @param what begins the message of the error.
 * @param size of the smaller input: its cost should be a millisecond or so, and much more than that of nothing.
 * @param prepare makes an input of a size, and the action on it. Only the action is measured, once.
 * @example
 * await assertLinear('masking', 10_000, (size) => {
 *   const text = 'token='.repeat(size);
 *   return () => maskText(text);
 * });
 */
export async function assertLinear(
  what: string,
  size: number,
  prepare: (size: number) => () => unknown,
): Promise<void> {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    small = Math.min(small, await costOf(prepare(size)));
    large = Math.min(large, await costOf(prepare(TIMES * size)));
    if (tries >= FEWEST_TRIES && large < MOST_GROWTH * Math.max(small, SHORTEST)) return;
  }
  throw new Error(
    `${what}: ${TIMES} times the input costs ${Math.round(large / small)} times as much (${small} and ${large} microseconds)`,
  );
}

/**
 * Checks that an action costs less than another one, by a margin that no machine uses up: the cheapest of several runs of
 * each are compared.
 *
 * @param what begins the message of the error.
 */
export async function assertCheaper(what: string, action: () => unknown, other: () => unknown): Promise<void> {
  let [own, others] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    own = Math.min(own, await costOf(action));
    others = Math.min(others, await costOf(other));
    if (own < others) return;
  }
  throw new Error(`${what}: costs ${own} microseconds, not less than ${others}`);
}

/** Microseconds of CPU time of the process. */
async function costOf(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
