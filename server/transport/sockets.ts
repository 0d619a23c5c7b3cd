import type { Socket } from 'node:net';

/** A client that has connected and sends nothing for this many milliseconds has no request in progress. */
const SILENCE = 250;

/** How often to look for connections that can end, in milliseconds. */
const SWEEP = 20;

/**
 * Drains repeatedly until `gone`, each time right after the platform has read all input: unread input would make a
 * connection seem silent or idle. After `patience` milliseconds `cut` is called.
 */
export async function drained(
  drain: () => void,
  gone: Promise<void>,
  patience: number,
  cut: () => void,
): Promise<void> {
  const sweep = setInterval(() => setImmediate(drain), SWEEP);
  const deadline = setTimeout(cut, patience);
  setImmediate(drain);
  await gone;
  clearInterval(sweep);
  clearTimeout(deadline);
}

/** The connections of one listener. */
export class Sockets {
  readonly #since = new Map<Socket, number>();
  readonly #deadlines = new Map<Socket, NodeJS.Timeout>();
  #gone: (() => void) | undefined;

  /**
   * Adds a connection, which is removed when it closes. It is closed unless it is established within this many
   * milliseconds; 0: no limit.
   */
  add(socket: Socket, timeout: number): void {
    this.#since.set(socket, performance.now());
    if (timeout > 0)
      this.#deadlines.set(
        socket,
        setTimeout(() => socket.destroy(), timeout),
      );
    socket.once('close', () => {
      this.established(socket);
      this.#since.delete(socket);
      if (this.#since.size === 0) this.#gone?.();
    });
  }

  /**
   * The protocol of the client is known: the TLS handshake, if any, is complete, and the HTTP/2 preface or the first
   * bytes of HTTP/1.1 have arrived.
   */
  established(socket: Socket): void {
    const raw = this.#since.has(socket) ? socket : (socket as Encrypted)._parent;
    if (raw === undefined) return;
    clearTimeout(this.#deadlines.get(raw));
    this.#deadlines.delete(raw);
  }

  /** Resolves when no connections remain. To be called once, after the last one was added. */
  gone(): Promise<void> {
    return new Promise((resolve) => {
      this.#gone = resolve;
      if (this.#since.size === 0) resolve();
    });
  }

  /** Closes connections that have been silent for a while. */
  closeSilent(): void {
    const now = performance.now();
    for (const [socket, since] of this.#since) if (socket.bytesRead === 0 && now - since > SILENCE) socket.destroy();
  }

  /** Closes all connections, including those with calls in progress. */
  destroy(): void {
    for (const socket of this.#since.keys()) socket.destroy();
  }
}

/**
 * A TLS connection and the socket below it: the platform does not declare the property, but uses it for its own
 * timeouts.
 */
interface Encrypted {
  readonly _parent?: Socket;
}
