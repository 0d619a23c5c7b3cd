/** The parts of an HTTP/2 stream or an HTTP/1.1 response that are used here. */
interface Answer {
  /** Whether the server has written all of it. */
  readonly writableEnded: boolean;
  /** How many bytes the client has not yet taken. */
  readonly writableLength: number;
  readonly on: (event: 'drain', listener: () => void) => unknown;
}

/** Tracks how a client receives a response. */
export class AnswerProgress {
  #completeSince: number | undefined;
  #waitingSince: number | undefined;
  #isListening = false;

  /**
   * Whether the client has used up its time at a given moment (performance.now). For a complete response, the time
   * counts from its completion; for a stream, from when data began to wait. Call it regularly. Steady progress does not
   * extend the time.
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
