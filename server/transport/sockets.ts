import type { Socket } from 'node:net';

/** Who has connected and says nothing for so many milliseconds has no request under way. */
const SILENCE = 250;

/** How often connections that can end are looked for, in milliseconds. */
const SWEEP = 20;

/**
 * Drains again and again until `gone`, each time right after the platform has read what has come: what is there and not yet read would make a connection seem to
 * be silent or idle. After `patience` milliseconds `cut` is called.
 */
export async function drained(drain: () => void, gone: Promise<void>, patience: number, cut: () => void): Promise<void> {
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
  #gone: (() => void) | undefined;

  /** One more; it leaves by itself. */
  add(socket: Socket): void {
    this.#since.set(socket, performance.now());
    socket.once('close', () => {
      this.#since.delete(socket);
      if (this.#since.size === 0) this.#gone?.();
    });
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
