import type { RecordQueue } from './record-queue.js';

/** Who waits for what was put so far, whatever is put meanwhile. */
export class Flushes {
  #waiting: { readonly accepted: number; readonly resolve: () => void }[] = [];

  get isUnderWay(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when all that the queue has accepted by now is settled. */
  begin({ accepted, settled }: RecordQueue): Promise<void> {
    if (settled >= accepted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ accepted, resolve });
    });
  }

  /** After records of the queue were settled. */
  settle({ settled }: RecordQueue): void {
    const done = this.#waiting.filter(({ accepted }) => accepted <= settled);
    if (done.length === 0) return;
    this.#waiting = this.#waiting.filter(({ accepted }) => accepted > settled);
    for (const { resolve } of done) resolve();
  }
}
