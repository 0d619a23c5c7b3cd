import { write, writeSync } from 'node:fs';

/**
 * Buffers lines and writes them to a file descriptor later, in batches and in order, so that logging does not delay
 * calls. Costs a third of what sonic-boom does (tests/observe/cost.ts). If the output is not read, a bounded part is
 * kept, and further lines are dropped and counted.
 */
export class LineSink {
  /** Lines that had no room. */
  dropped = 0;
  readonly #fd: number;
  readonly #enough: number;
  /** The text that is not written yet. */
  #kept = '';
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void)[] = [];

  /** Writes as soon as it has `enough`, in UTF-16 units, and after a while whatever it has. */
  constructor(fd: number, enough: number) {
    this.#fd = fd;
    this.#enough = enough;
  }

  /** Takes a line, which ends in a newline. */
  write(line: string): void {
    if (this.#kept.length > MAX_KEPT) {
      this.dropped++;
      return;
    }
    this.#kept += line;
    if (this.#kept.length >= this.#enough) this.#writeKept();
    else this.#timer ??= setTimeout(this.#onTimer, DELAY).unref();
  }

  /** Resolves when all that was taken is written, or cannot be. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#writeKept();
    });
  }

  /** Writes the buffered text before the process exits. A write in progress is left to the platform. */
  flushSync(): void {
    writeAllSync(this.#fd, Buffer.from(this.#kept));
    this.#kept = '';
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#writeKept();
  };

  /** All in one piece: several processes may write to one pipe, which takes a piece whole as long as it is not full. */
  #writeKept(): void {
    if (this.#isWriting) return;
    if (this.#kept === '') {
      for (const resolve of this.#waiting.splice(0)) resolve();
      return;
    }
    const bytes = Buffer.from(this.#kept);
    this.#kept = '';
    this.#isWriting = true;
    this.#writeRest(bytes);
  }

  #writeRest(rest: Buffer): void {
    write(this.#fd, rest, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeRest(rest), DELAY).unref();
      // Any other error: the output is gone, and there is no other place to report it.
      else if (error === null && written < rest.length) this.#writeRest(rest.subarray(written));
      else this.#written();
    });
  }

  #written(): void {
    this.#isWriting = false;
    if (this.#kept.length >= this.#enough || this.#waiting.length > 0) this.#writeKept();
    else if (this.#kept !== '') this.#timer ??= setTimeout(this.#onTimer, DELAY).unref();
  }
}

/** How late a line may be, in milliseconds. */
const DELAY = 50;
/** Length in UTF-16 units. */
const MAX_KEPT = 8 * 1024 * 1024;
/** How often a full pipe is tried again at the end, ten milliseconds apart. */
const MAX_TRIES = 50;

function writeAllSync(fd: number, bytes: Buffer): void {
  let rest = bytes;
  for (let tries = 0; rest.length > 0 && tries < MAX_TRIES; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      tries++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
