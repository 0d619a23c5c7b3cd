/** A stream that may be a terminal. */
type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/**
 * A line on a terminal that names the current step, from one second on. Logs and programs that read the stream see
 * nothing.
 */
export class ProgressLine {
  private readonly begin: number;
  private shown: string | undefined;

  constructor(
    private readonly stream: Terminal = process.stderr,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.begin = now();
  }

  /** To be called often: a compilation blocks the process, so that no timer fires. */
  show(step: string): void {
    if (this.stream.isTTY !== true || step === this.shown || this.now() - this.begin < PATIENCE) return;
    this.shown = step;
    this.stream.write(`${CLEARED}${step} ...`);
  }

  /** Removes the line, before anything else is printed. */
  clear(): void {
    if (this.shown === undefined) return;
    this.shown = undefined;
    this.stream.write(CLEARED);
  }
}

const PATIENCE = 1_000;
/** The start of the line, and the escape sequence that erases the rest of it. */
const CLEARED = '\r\u001b[K';
