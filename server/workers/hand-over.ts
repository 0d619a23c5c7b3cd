import type { Socket } from 'node:net';
import type { PortName } from './topics.js';

/** Whoever serves connections that this process has accepted. */
export interface Receiver {
  /** Gives it a connection: resolves when it has taken it, rejects when it has not and never will. */
  readonly give: (port: PortName, socket: Socket) => Promise<void>;
}

/** More connections than these do not wait: the next one is closed. */
const MOST_WAITING = 16_384;

/**
 * Hands connections on to those who serve them, in turn. Each is given one at a time, so that whoever is busy gets
 * fewer; and a connection is let go of only when it was taken, so that one on its way to somebody who dies is given to
 * somebody else.
 */
export class HandOver {
  readonly #receivers = new Set<Receiver>();
  readonly #leaving = new Map<Receiver, () => void>();
  #free: Receiver[] = [];
  #waiting: Connection[] = [];
  #underWay = 0;
  #settled: (() => void) | undefined;

  /** A connection that was accepted, and not read from. */
  accept(port: PortName, socket: Socket): void {
    // Its fate is its new owner's to learn.
    socket.on('error', () => {});
    if (this.#waiting.length >= MOST_WAITING) socket.destroy();
    else this.#waiting.push({ port, socket });
    this.#next();
  }

  /** One more who serves. */
  add(receiver: Receiver): void {
    this.#receivers.add(receiver);
    this.#free.push(receiver);
    this.#letGo();
    this.#next();
  }

  /** One who is gone. */
  remove(receiver: Receiver): void {
    this.#receivers.delete(receiver);
    this.#leaving.delete(receiver);
    this.#free = this.#free.filter((free) => free !== receiver);
    this.#next();
  }

  /**
   * One wants to go: resolves when it is given nothing any more. The last one has to wait for somebody in its place.
   */
  leave(receiver: Receiver): Promise<void> {
    return new Promise((resolve) => {
      this.#leaving.set(receiver, resolve);
      this.#letGo();
    });
  }

  /**
   * Resolves when all that was accepted was taken. With nobody left to take it, it is closed. To be asked once, when
   * nothing is accepted any more.
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
        // Ends what this process has of it, and not the connection.
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
