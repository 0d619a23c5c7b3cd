import type { CommandContext } from './context.js';

/** When a long run ends early: after its time, or when the user interrupts it. */
export interface RunLimit {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Why the run is over; false while it is not. */
  readonly isOver: () => false | 'time' | 'interrupted';
  /** Removes the handlers of signals. */
  readonly close: () => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts to count. The first signal of the user or the system asks the run to end with what it knows; the second ends
 * the process.
 *
 * @param milliseconds how long the run may take.
 */
export function limitRun(milliseconds: number, { signals, exit }: Pick<CommandContext, 'signals' | 'exit'>): RunLimit {
  const end = performance.now() + milliseconds;
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) exit(1);
    controller.abort();
  };
  for (const name of SIGNALS) signals.on(name, interrupt);
  return {
    signal: controller.signal,
    isOver: () => (controller.signal.aborted ? 'interrupted' : performance.now() > end && 'time'),
    close: () => {
      for (const name of SIGNALS) signals.off(name, interrupt);
    },
  };
}
