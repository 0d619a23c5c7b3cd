import type { Socket } from 'node:net';

/** Anything that serves connections. */
export interface Taker {
  readonly take: (socket: Socket) => void;
}

/**
 * A listener that the first connection loads, so that a server without such connections needs neither its time nor its
 * memory (docs/decisions/packages-page-and-tools.md#0150). Connections that arrive in between wait for it; what they
 * send is buffered.
 */
export class OnDemand<Listener extends Taker> {
  #loading: Promise<Listener> | undefined;
  #loaded: Listener | undefined;

  constructor(
    private readonly load: () => Promise<Listener>,
    /** Called once if it cannot be loaded, which is a bug or a damaged installation. Its connections are closed. */
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The listener, if it has been loaded. */
  get loaded(): Listener | undefined {
    return this.#loaded;
  }

  /** Serves a connection. */
  take(socket: Socket): void {
    if (this.#loaded !== undefined) return this.#loaded.take(socket);
    const end = (): void => {
      socket.destroy();
    };
    socket.on('error', end);
    this.get().then((listener) => {
      socket.off('error', end);
      if (!socket.destroyed) listener.take(socket);
    }, end);
  }

  /** Loads the listener, once. */
  get(): Promise<Listener> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Resolves to the listener when the connections that waited for it are its own; undefined if there was none. */
  async settled(): Promise<Listener | undefined> {
    return this.#loading?.catch(() => undefined);
  }

  async #load(): Promise<Listener> {
    try {
      this.#loaded = await this.load();
      return this.#loaded;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }
}
