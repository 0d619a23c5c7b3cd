import type { Socket } from 'node:net';
import type { PortName } from './topics.js';

/** A process or server that serves the connections that this process accepts. */
export interface Receiver {
  /** Passes a connection: resolves when the receiver has confirmed it, rejects if it never will. */
  readonly give: (port: PortName, socket: Socket) => Promise<void>;
}

/** The maximum number of queued connections: the next one is closed. */
const MOST_WAITING = 16_384;

/**
 * Distributes connections to receivers in turn. Each receiver gets one connection at a time, so that busy ones get
 * fewer. A connection is only released when a receiver has confirmed it: if the receiver exits first, another one gets
 * it.
 */
export class HandOver {
  readonly #receivers = new Set<Receiver>();
  readonly #leaving = new Map<Receiver, () => void>();
  #free: Receiver[] = [];
  #waiting: Connection[] = [];
  #underWay = 0;
  #settled: (() => void) | undefined;

  /** An accepted connection that has not been read from. */
  accept(port: PortName, socket: Socket): void {
    // Its new owner handles its errors.
    socket.on('error', () => {});
    if (this.#waiting.length >= MOST_WAITING) socket.destroy();
    else this.#waiting.push({ port, socket });
    this.#next();
  }

  /** Adds a receiver. */
  add(receiver: Receiver): void {
    this.#receivers.add(receiver);
    this.#free.push(receiver);
    this.#letGo();
    this.#next();
  }

  /** Removes a receiver that has exited. */
  remove(receiver: Receiver): void {
    this.#receivers.delete(receiver);
    this.#leaving.delete(receiver);
    this.#free = this.#free.filter((free) => free !== receiver);
    this.#next();
  }

  /** Retires a receiver: resolves when it gets no more connections. The last receiver waits for a replacement. */
  leave(receiver: Receiver): Promise<void> {
    return new Promise((resolve) => {
      this.#leaving.set(receiver, resolve);
      this.#letGo();
    });
  }

  /**
   * Resolves when a receiver has confirmed every accepted connection; without receivers, they are closed. To be called
   * once, after the listener has closed.
   */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled = resolve;
      this.#next();
    });
  }

  #letGo(): void {
    for (const [receiver, gone] of this.#leaving) {
      if (this.#receivers.size < 2) return;
      this.remove(receiver);
      gone();
    }
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#free.length > 0)
      this.#give(this.#free.shift() as Receiver, this.#waiting.shift() as Connection);
    if (this.#settled === undefined) return;
    if (this.#receivers.size === 0) for (const { socket } of this.#waiting.splice(0)) socket.destroy();
    if (this.#waiting.length === 0 && this.#underWay === 0) this.#settled();
  }

  #give(receiver: Receiver, connection: Connection): void {
    this.#underWay++;
    receiver.give(connection.port, connection.socket).then(
      () => {
        this.#underWay--;
        // Closes this process's handle, but not the connection.
        connection.socket.destroy();
        if (this.#receivers.has(receiver)) this.#free.push(receiver);
        this.#next();
      },
      () => {
        this.#underWay--;
        this.#waiting.unshift(connection);
        this.remove(receiver);
      },
    );
  }
}

interface Connection {
  readonly port: PortName;
  readonly socket: Socket;
}
