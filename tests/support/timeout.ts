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

/**
 * Waits for a promise, and returns the milliseconds that this took, without those that this process had to wait for a
 * processor: the turns of the event loop, `PAUSE` apart.
 */
export async function patienceFor(happening: Promise<unknown>): Promise<number> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  happening.then(settled, settled);
  let turns = 0;
  for (; !isSettled; turns += 1) await sleep(PAUSE);
  await happening;
  return turns * PAUSE;
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

/**
 * Runs an attempt until one succeeds: for what a busy machine can spoil, such as a client that must send something before
 * the server stops waiting for it. Rejects as the last one does. An attempt gets its number, from 0 on, for example to
 * allow ever more time.
 */
export async function succeedOnce(tries: number, attempt: (done: number) => Promise<void>): Promise<void> {
  for (let done = 0; ; done += 1) {
    try {
      return await attempt(done);
    } catch (error) {
      if (done >= tries - 1) throw error;
    }
  }
}
