import type { Question, QuestionKind, Questions, WorkerAnswer } from './questions.js';

/** The URL of the worker relative to the page's scripts, put in by the build. */
declare const PLAYGROUND_WORKER: string;

/** The time limit in milliseconds: policies from a link may be made to take forever. */
const LONGEST = 20_000;

interface Pending {
  readonly resolve: (answers: never) => void;
  readonly reject: (error: Error) => void;
}

/** Asks a worker of its own, which is started by the first question, and again after one that takes too long. */
export class WorkerClient {
  private worker: Worker | undefined;
  private asked = 0;
  private readonly pending = new Map<number, Pending>();

  /** Rejects if the worker fails, or takes longer than 20 seconds. */
  ask<Kind extends QuestionKind>(kind: Kind, asks: Questions[Kind]['asks']): Promise<Questions[Kind]['answers']> {
    this.worker ??= this.start();
    this.asked += 1;
    const id = this.asked;
    const { worker } = this;
    return new Promise<Questions[Kind]['answers']>((resolve, reject) => {
      const timer = window.setTimeout(() => this.fail(`stopped after ${LONGEST / 1000} s`), LONGEST);
      const ended =
        <Value>(end: (value: Value) => void) =>
        (value: Value): void => {
          window.clearTimeout(timer);
          end(value);
        };
      this.pending.set(id, { resolve: ended(resolve), reject: ended(reject) });
      worker.postMessage({ id, kind, asks } as Question);
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL(PLAYGROUND_WORKER, import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      const { resolve, reject } = this.pending.get(data.id) ?? {};
      this.pending.delete(data.id);
      if ('error' in data) reject?.(new Error(data.error));
      else resolve?.(data.answers as never);
    });
    worker.addEventListener('error', ({ message }) => this.fail(message || 'the compiler could not be loaded'));
    return worker;
  }

  private fail(reason: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    const pending = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of pending) reject(new Error(reason));
  }
}
