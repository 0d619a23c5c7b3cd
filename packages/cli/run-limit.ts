import type { CommandContext } from './context.js';
import { EXIT, printMessage } from './exit.js';
import { reportInputError } from './report.js';

/** When a long run ends early: after its time, or when the user interrupts it. */
export interface RunLimit {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Why the run is over; false while it is not. */
  readonly isOver: () => false | 'time' | 'interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command that may take long. The first signal of the user or the system asks it to end with what it knows; the
 * second ends the process. Returns the exit code of the command, or reports why it has none.
 *
 * @param milliseconds how long the run may take.
 */
export async function runLimited(
  milliseconds: number,
  context: CommandContext,
  run: (limit: RunLimit) => Promise<number>,
): Promise<number> {
  const { signals, exit } = context;
  const end = performance.now() + milliseconds;
  const controller = new AbortController();
  const { signal } = controller;
  const interrupt = (): void => {
    if (signal.aborted) exit(1);
    controller.abort();
  };
  for (const name of SIGNALS) signals.on(name, interrupt);
  try {
    return await run({ signal, isOver: () => (signal.aborted ? 'interrupted' : performance.now() > end && 'time') });
  } catch (error) {
    if (!signal.aborted) return reportInputError(error, context);
    printMessage(context, 'interrupted');
    return EXIT.failed;
  } finally {
    for (const name of SIGNALS) signals.off(name, interrupt);
  }
}
