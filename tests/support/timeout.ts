import { setTimeout as sleep } from 'node:timers/promises';

/** The longest time that any step may take, in milliseconds. No passing test comes near it, however busy the machine. */
export const LAST_RESORT = 600_000;

/**
 * How often the event loop turns, at least `PAUSE` milliseconds apart, before a test that waits fails: a minute when
 * nothing else runs, and longer on a busy machine. The runner ends files that do nothing.
 */
const TURNS = 6000;
const PAUSE = 10;

/**
 * Waits until a condition holds. Rejects when it never does, and says for what it waited.
 *
 * @param pause milliseconds between two looks: more than usual for a condition that takes long to evaluate.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'the condition',
  pause = PAUSE,
): Promise<void> {
  for (let turn = 0; !(await holds()); turn += 1) {
    if (turn * pause >= TURNS * PAUSE) throw new Error(`still not: ${typeof what === 'string' ? what : what()}`);
    await sleep(pause);
  }
}

/** Waits for a promise. Rejects when it never settles, so that a test that hangs says what it waited for. */
export async function within<T>(happening: Promise<T>, what: string): Promise<T> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  happening.then(settled, settled);
  await until(() => isSettled, what);
  return happening;
}
