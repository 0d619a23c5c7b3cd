import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerProgress } from '../answer-progress.js';

/**
 * Responses are checked this often, in milliseconds, or four times per timeout; deadlines are not more exact than this.
 */
const SWEEP_INTERVAL = 1000;
const LEAST_SWEEP_INTERVAL = 20;

/**
 * The responses on HTTP/1.1 connections. The platform has a timer for a connection without traffic, but none for a
 * response that is received steadily but too slowly. So all connections are checked regularly, and a connection whose
 * response is not received in time is cut.
 */
export class Http1Answers {
  readonly #connections = new Map<Socket, Connection>();
  readonly #timeout: number;
  #sweep: NodeJS.Timeout | undefined;

  /** @param timeout how long clients may take, in milliseconds; 0: no limit. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Tracks a connection until it is closed. */
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

  /** A request has arrived; this is its response. */
  begin(socket: Socket, response: ServerResponse): void {
    this.#connections.get(socket)?.begin(response);
  }

  #lookAtAll(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) if (connection.isLate(now, this.#timeout)) socket.destroy();
  }
}

class Connection {
  /** The latest response, and earlier ones that are not sent yet, which exist when the client pipelines requests. */
  #last: ServerResponse | undefined;
  #earlier: ServerResponse[] = [];
  #current: ServerResponse | undefined;
  #progress = new AnswerProgress();

  begin(response: ServerResponse): void {
    if (this.#last !== undefined && !this.#last.writableFinished) this.#earlier.push(this.#last);
    this.#last = response;
  }

  /** The client can only receive the first response that is not sent: later ones wait for it. */
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
