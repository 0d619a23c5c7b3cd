import type { Socket } from 'node:net';

/** Who has connected and says nothing for so many milliseconds has no request under way. */
const SILENCE = 250;

/** How often connections that can end are looked for, in milliseconds. */
const SWEEP = 20;

/**
 * Drains again and again until `gone`, each time right after the platform has read what has come: what is there and not
 * yet read would make a connection seem to be silent or idle. After `patience` milliseconds `cut` is called.
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
   * One more; it leaves by itself. It is closed unless it is established within so many milliseconds; 0: it may take
   * any time.
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
   * The client has said what it speaks: the TLS handshake is done, if there is one, and the preface of HTTP/2 or the
   * first bytes of HTTP/1.1 are there.
   */
  established(socket: Socket): void {
    const raw = this.#since.has(socket) ? socket : (socket as Encrypted)._parent;
    if (raw === undefined) return;
    clearTimeout(this.#deadlines.get(raw));
    this.#deadlines.delete(raw);
  }

  /** Resolves when there is none: to be waited for once, when none is added any more. */
  gone(): Promise<void> {
    return new Promise((resolve) => {
      this.#gone = resolve;
      if (this.#since.size === 0) resolve();
    });
  }

  /** Closes those that have not said anything for a while. */
  closeSilent(): void {
    const now = performance.now();
    for (const [socket, since] of this.#since) if (socket.bytesRead === 0 && now - since > SILENCE) socket.destroy();
  }

  /** Closes all, whatever is under way. */
  destroy(): void {
    for (const socket of this.#since.keys()) socket.destroy();
  }
}

/** A TLS connection, and the one below it: the platform does not declare it, and uses it for its own timeouts. */
interface Encrypted {
  readonly _parent?: Socket;
}
