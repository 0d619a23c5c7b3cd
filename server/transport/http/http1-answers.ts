import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerProgress } from '../answer-progress.js';

/**
 * Answers are looked at this often, in milliseconds, or four times in their timeout: no deadline is kept more exactly.
 */
const SWEEP_INTERVAL = 1000;
const LEAST_SWEEP_INTERVAL = 20;

/**
 * The answers of the connections of HTTP/1.1. The platform has a timer for a connection on which nothing moves, and
 * none for an answer that is taken steadily but too slowly. So all connections are looked at regularly, and one whose
 * answer is not taken in time is cut.
 */
export class Http1Answers {
  readonly #connections = new Map<Socket, Connection>();
  readonly #timeout: number;
  #sweep: NodeJS.Timeout | undefined;

  /** @param timeout how long clients may take, in milliseconds; 0: as long as they like. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Follows a connection until it is closed. */
  follow(socket: Socket): void {
    if (this.#timeout === 0) return;
    this.#connections.set(socket, new Connection());
    const interval = Math.max(LEAST_SWEEP_INTERVAL, Math.min(SWEEP_INTERVAL, this.#timeout / 4));
    this.#sweep ??= setInterval(() => this.#lookAtAll(), interval).unref();
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#connections.size > 0) return;
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    });
  }

  /** A request has come, and this is going to be its answer. */
  begin(socket: Socket, response: ServerResponse): void {
    this.#connections.get(socket)?.begin(response);
  }

  #lookAtAll(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) if (connection.isLate(now, this.#timeout)) socket.destroy();
  }
}

class Connection {
  /**
   * The last one, and those before it that are not sent: there are some when the client sends requests without waiting
   * for answers.
   */
  #last: ServerResponse | undefined;
  #earlier: ServerResponse[] = [];
  #current: ServerResponse | undefined;
  #progress = new AnswerProgress();

  begin(response: ServerResponse): void {
    if (this.#last !== undefined && !this.#last.writableFinished) this.#earlier.push(this.#last);
    this.#last = response;
  }

  /** Only the first answer that is not sent can be taken: those behind it wait for it. */
  isLate(now: number, timeout: number): boolean {
    this.#earlier = this.#earlier.filter(({ writableFinished }) => !writableFinished);
    const current = this.#earlier[0] ?? this.#last;
    if (current === undefined || current.writableFinished) return false;
    if (current !== this.#current) {
      this.#current = current;
      this.#progress = new AnswerProgress();
    }
    return this.#progress.isLate(current, now, timeout);
  }
}
