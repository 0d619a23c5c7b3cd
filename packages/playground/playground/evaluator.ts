import type { PlaygroundInput, PlaygroundResult } from './evaluate.js';

/** The URL of the worker relative to the page's scripts, put in by the build. */
declare const PLAYGROUND_WORKER: string;

/** In milliseconds: policies from a link may be made to take forever. */
const LONGEST = 20_000;

/** Evaluates inputs in a worker, one at a time: an input that arrives meanwhile replaces the one that waits. */
export class Evaluator {
  private worker: Worker | undefined;
  private waiting: PlaygroundInput | undefined;
  private timer: number | undefined;

  constructor(
    private readonly onResult: (result: PlaygroundResult) => void,
    private readonly onFailure: (reason: string) => void,
  ) {}

  evaluate(input: PlaygroundInput): void {
    if (this.timer !== undefined) this.waiting = input;
    else this.start(input);
  }

  private start(input: PlaygroundInput): void {
    this.worker ??= this.startWorker();
    this.timer = window.setTimeout(() => this.fail(`stopped after ${LONGEST / 1000} s`), LONGEST);
    this.worker.postMessage(input);
  }

  private startWorker(): Worker {
    const worker = new Worker(new URL(PLAYGROUND_WORKER, import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<PlaygroundResult>) => {
      this.end();
      if (this.waiting === undefined) this.onResult(data);
      this.next();
    });
    worker.addEventListener('error', ({ message }) => this.fail(message || 'the compiler could not be loaded'));
    return worker;
  }

  private fail(reason: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.end();
    this.onFailure(reason);
    this.next();
  }

  private end(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }

  private next(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting !== undefined) this.start(waiting);
  }
}
