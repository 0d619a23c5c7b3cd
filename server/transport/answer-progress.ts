/** A stream of HTTP/2 or a response of HTTP/1.1, as far as this is about it. */
interface Answer {
  /** Whether the server has written all of it. */
  readonly writableEnded: boolean;
  /** How many bytes wait to be taken by the client. */
  readonly writableLength: number;
  readonly on: (event: 'drain', listener: () => void) => unknown;
}

/** Follows how an answer is taken by its client. */
export class AnswerProgress {
  #completeSince: number | undefined;
  #waitingSince: number | undefined;
  #isListening = false;

  /**
   * Whether the client has had its time, at a moment (performance.now): for an answer that is complete, since it was;
   * for a stream, since something has been waiting. To be asked regularly. Steady progress extends nothing.
   *
   * @param timeout milliseconds.
   */
  isLate(answer: Answer, now: number, timeout: number): boolean {
    if (answer.writableEnded) {
      this.#completeSince ??= now;
      return now - this.#completeSince > timeout;
    }
    if (answer.writableLength === 0) {
      this.#waitingSince = undefined;
      return false;
    }
    if (!this.#isListening) {
      this.#isListening = true;
      answer.on('drain', () => {
        this.#waitingSince = undefined;
      });
    }
    this.#waitingSince ??= now;
    return now - this.#waitingSince > timeout;
  }
}
