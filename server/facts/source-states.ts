import type { SourceCall } from '../../runtime/facts/loader.js';
import { CALL_MILLISECONDS, Histogram } from '../observe/metrics/histogram.js';
import type { FactSourceCounts } from '../observe/options.js';
import { HttpError } from '../outgoing/http-error.js';

/** What is known of a source. */
export interface SourceState extends FactSourceCounts {
  /** Milliseconds since 1970; undefined: never. */
  readonly lastSuccess: number | undefined;
  readonly lastFailure: number | undefined;
  /** The kind of the last failure. */
  readonly lastError: string | undefined;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Where problems of sources are logged. */
interface Logger {
  report(problem: string): void;
}

/** Counts what becomes of the calls of sources. */
export class SourceStates {
  readonly #states = new Map<string, Mutable<SourceState>>();

  constructor(
    names: readonly string[],
    private readonly logger: Logger,
  ) {
    for (const name of names)
      this.#states.set(name, {
        name,
        requests: 0,
        failures: 0,
        fetched: 0,
        unknown: 0,
        durations: new Histogram(CALL_MILLISECONDS),
        lastSuccess: undefined,
        lastFailure: undefined,
        lastError: undefined,
      });
  }

  list(): readonly SourceState[] {
    return [...this.#states.values()];
  }

  asked(name: string, call: SourceCall): void {
    const state = this.#states.get(name);
    if (state === undefined) return;
    state.requests += 1;
    state.fetched += call.found;
    state.durations.record(call.duration);
    // That nobody waits any more says nothing about the source.
    const [reason] = call.failures.filter((failure) => failure !== 'aborted');
    if (reason === undefined && call.failures.length > 0) return;
    if (reason === undefined) {
      state.lastSuccess = Date.now();
      return;
    }
    state.failures += 1;
    state.lastFailure = Date.now();
    // The kind of error that the source threw says more.
    if (reason !== 'failed') this.#tell(state, reason);
  }

  /** The source threw. */
  failed(name: string, error: unknown): void {
    const state = this.#states.get(name);
    if (state !== undefined) this.#tell(state, describeError(error));
  }

  /** A connection was lost while it was idle. */
  lost(name: string, error: Error): void {
    this.logger.report(`a connection of source \`${name}\` was lost: ${describeError(error)}`);
  }

  /** A decision lacked a fact of a source. */
  lacked(name: string): void {
    const state = this.#states.get(name);
    if (state !== undefined) state.unknown += 1;
  }

  #tell(state: Mutable<SourceState>, reason: string): void {
    state.lastError = reason;
    this.logger.report(`source \`${state.name}\` failed: ${reason}`);
  }
}

/** The kind of an error: its text may have data in it, such as a key or a row. */
function describeError(error: unknown): string {
  if (error instanceof HttpError) return error.reason;
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code;
  // Our own sources say by a TypeError that an answer is not what the configuration says.
  if (error instanceof TypeError || error instanceof SyntaxError) return 'the answer cannot be used';
  return typeof name === 'string' && /^\w{1,40}$/.test(name) ? name : 'failed';
}
