import { setTimeout as sleep } from 'node:timers/promises';
import { type PathWatch, readState, watchPaths } from '../watch-paths.js';
import type { BundleText } from './read-bundle.js';

/** The options of a source. */
export interface BundleSourceOptions {
  readonly file: string;
  /** Files that decide whether the bundle may be served: when one changes, the bundle is read again. */
  readonly companions?: readonly string[];
  /** Reads the file. Rejects if it is not a bundle that may be served. */
  readonly read: () => Promise<BundleText>;
  /** The digest of the bundle that the server started with. */
  readonly digest: string;
  /** Whether to watch the file. */
  readonly watch: boolean;
  /** Called for every new version, one at a time. Rejects if the version cannot be served. */
  readonly offer: (bundle: BundleText) => Promise<void>;
  /** The file does not exist, cannot be read or was rejected. */
  readonly failed: (error: Error) => void;
}

/** How long the file must stay unchanged before it is read, in milliseconds. */
const QUIET = 150;
/** A file that keeps changing is read after this long; its content shows whether it is complete. */
const LONGEST_UNREST = 10_000;

/**
 * Reports each new version of a bundle file once: when the file has been replaced or rewritten, and on SIGHUP. Only the
 * content counts: touching a file changes nothing.
 */
export class BundleSource {
  #digest: string;
  #looking: Promise<unknown> = Promise.resolve();
  /** A check that has not begun. */
  #queued: Promise<Error | undefined> | undefined;
  /** Why the last version that was offered is not served. */
  #refusal: Error | undefined;
  #watch: PathWatch | undefined;

  constructor(private readonly options: BundleSourceOptions) {
    this.#digest = options.digest;
    if (options.watch) this.watch();
  }

  /**
   * Checks the file now. When the result has been handled, resolves with the reason why the content of the file is not
   * served; undefined if it is. Calls that wait for their turn share one check.
   */
  look(): Promise<Error | undefined> {
    this.#queued ??= this.#looking.then(() => {
      this.#queued = undefined;
      return this.#read();
    });
    this.#looking = this.#queued;
    return this.#queued;
  }

  /** Watches the file from now on. It is read once in any case: it may have changed since the server read it. */
  watch(): void {
    const { file, companions = [] } = this.options;
    this.#watch = watchPaths([file, ...companions], () => this.look(), { since: undefined, background: true });
  }

  /** Stops checking the file. */
  stop(): void {
    this.#watch?.close();
  }

  async #read(): Promise<Error | undefined> {
    try {
      await quiet(this.options.file);
      const bundle = await this.options.read();
      // A bad version is remembered too, so that it is reported only once.
      if (bundle.digest === this.#digest) return this.#refusal;
      this.#digest = bundle.digest;
      this.#refusal = await this.options.offer(bundle).then(
        () => undefined,
        (error: Error) => error,
      );
      if (this.#refusal !== undefined) this.options.failed(this.#refusal);
      return this.#refusal;
    } catch (error) {
      this.options.failed(error as Error);
      return error as Error;
    }
  }
}

/** Resolves when the file stops changing, or does not exist. */
async function quiet(file: string): Promise<void> {
  let seen = await readState([file]);
  for (let waited = 0; waited < LONGEST_UNREST; waited += QUIET) {
    await sleep(QUIET);
    const now = await readState([file]);
    if (now === seen) return;
    seen = now;
  }
}
