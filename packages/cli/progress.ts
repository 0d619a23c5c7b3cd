/** A stream that may be a terminal. */
interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** What a progress line reads the time from. */
export interface ProgressClock {
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls a function after some milliseconds, unless it is cancelled. Does not keep the process alive. */
  readonly later: (call: () => void, milliseconds: number) => { readonly cancel: () => void };
}

/**
 * A line on a terminal that names the current step, from one second on. Logs and programs that read the stream see
 * nothing.
 */
export class ProgressLine {
  private readonly begin: number;
  private step = '';
  private shown: string | undefined;
  private timer: { readonly cancel: () => void } | undefined;

  constructor(
    private readonly stream: Terminal,
    private readonly clock: ProgressClock = SYSTEM_CLOCK,
  ) {
    this.begin = clock.now();
  }

  /**
   * Names the current step. To be called often where the process is blocked, so that no timer fires: a compilation, for
   * example.
   */
  readonly show = (step: string): void => {
    if (this.stream.isTTY !== true) return;
    this.step = step;
    const left = this.begin + PATIENCE - this.clock.now();
    if (left <= 0) this.write();
    else this.timer ??= this.clock.later(() => this.write(), left);
  };

  /** Removes the line, before anything else is printed. */
  clear(): void {
    this.timer?.cancel();
    this.timer = undefined;
    if (this.shown === undefined) return;
    this.shown = undefined;
    this.stream.write(CLEARED);
  }

  private write(): void {
    if (this.step === this.shown) return;
    this.shown = this.step;
    this.stream.write(`${CLEARED}${this.step} ...`);
  }
}

/** `3 of 1,000 mutants` */
export function formatStep(done: number, all: number, things: string): string {
  return `${done.toLocaleString('en-US')} of ${all.toLocaleString('en-US')} ${things}`;
}

const PATIENCE = 1_000;
/** The start of the line, and the escape sequence that erases the rest of it. */
const CLEARED = '\r\u001b[K';

const SYSTEM_CLOCK: ProgressClock = {
  now: () => performance.now(),
  later: (call, milliseconds) => {
    const timer = setTimeout(call, milliseconds).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
