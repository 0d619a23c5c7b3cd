import type { FactsDecision } from './loop.js';

/** A question that waits for the end of the turn. */
interface Waiting<Question> {
  readonly question: Question;
  readonly resolve: (decision: FactsDecision) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects what is asked in one turn, after the promises that are pending then, so that it is decided together. */
export class TurnBatch<Question> {
  private waiting: Waiting<Question>[] = [];

  /** @param decide calls `decided` with each decision as soon as it is made. */
  constructor(
    private readonly decide: (
      questions: readonly Question[],
      decided: (index: number, decision: FactsDecision) => void,
    ) => Promise<void>,
  ) {}

  add(question: Question): Promise<FactsDecision> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (this.waiting.length === 1) later(() => this.flush());
    });
  }

  private flush(): void {
    const batch = this.waiting;
    this.waiting = [];
    this.decide(
      batch.map(({ question }) => question),
      (index, decision) => batch[index]?.resolve(decision),
    ).catch((error: unknown) => {
      // Those that are decided stay so.
      for (const { reject } of batch) reject(error);
    });
  }
}

/** Calls a function once pending promises have settled. */
function later(work: () => void): void {
  const { setImmediate } = globalThis as { readonly setImmediate?: (work: () => void) => unknown };
  if (setImmediate === undefined) setTimeout(work, 0);
  else setImmediate(work);
}
