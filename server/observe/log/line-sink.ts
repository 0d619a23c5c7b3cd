import { write, writeSync } from 'node:fs';

/**
 * Takes lines and writes them to a file descriptor a little later, many at a time and in order, off the path of whoever
 * says them. Costs a third of what sonic-boom does (tests/observe/cost.ts). When nobody reads, a bounded part is kept
 * and the rest is dropped and counted: the server goes on.
 */
export class LineSink {
  /** Lines that had no room. */
  dropped = 0;
  readonly #fd: number;
  readonly #enough: number;
  /** What is yet to be written. */
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

  /** Writes what is left before the process ends. What is under way is the platform's. */
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
      // Any other error: nobody will ever read it, and there is nowhere to say so.
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
/** In UTF-16 units. */
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
