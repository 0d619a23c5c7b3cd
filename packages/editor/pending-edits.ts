/**
 * The longest pause after which edits are answered, in milliseconds
 * (docs/decisions/compiler.md#0061).
 */
export const QUIET = 300;

/** Characters for each millisecond of pause: a usual policy is answered at once, one of 300 kB after `QUIET`. */
const LENGTH_PER_MILLISECOND = 1000;

/** Milliseconds. */
const LATE = 20;

interface Pending {
  readonly timer: NodeJS.Timeout;
  readonly waiting: (() => void)[];
}

/**
 * Edits that are not answered yet. Only the last of a document is, after a pause that grows with the text: while someone
 * types in a large document, none of its texts is compiled.
 */
export class PendingEdits {
  private readonly byDocument = new Map<string, Pending>();

  /** @param answer is called unless another edit of the document comes before. */
  add(document: string, length: number, answer: () => void): void {
    const { timer, waiting = [] } = this.byDocument.get(document) ?? {};
    clearTimeout(timer);
    const pause = Math.min(QUIET, Math.floor(length / LENGTH_PER_MILLISECOND));
    const due = Date.now() + pause;
    const settle = (): void => {
      this.byDocument.delete(document);
      answer();
      for (const resolve of waiting) resolve();
    };
    const later = (then: () => void): void => {
      this.byDocument.set(document, { timer: setTimeout(then, pause), waiting });
    };
    // After a long computation timers come before the messages that arrived meanwhile, which may have newer edits.
    later(() => (Date.now() - due > LATE ? later(settle) : settle()));
  }

  /** Resolves when no edit of a document is waiting for its answer. */
  settled(document: string): Promise<void> {
    const pending = this.byDocument.get(document);
    return pending === undefined ? Promise.resolve() : new Promise((resolve) => pending.waiting.push(resolve));
  }

  /** Drops the edits of a document that is closed. */
  drop(document: string): void {
    const { timer, waiting = [] } = this.byDocument.get(document) ?? {};
    clearTimeout(timer);
    this.byDocument.delete(document);
    for (const resolve of waiting) resolve();
  }

  dropAll(): void {
    for (const document of [...this.byDocument.keys()]) this.drop(document);
  }
}
