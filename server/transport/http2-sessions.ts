import type { Http2Server, ServerHttp2Session } from 'node:http2';

/** How sessions are treated; times in milliseconds. */
export interface SessionOptions {
  /** A session on which nothing happens for so long ends; 0: none does. */
  readonly idleTimeout: number;
  /** After this time a session is to be made anew; 0: never. */
  readonly maxConnectionAge: number;
}

/** Who has connected and begins no call in so many milliseconds has none under way. */
const FIRST_CALL = 250;

/**
 * The sessions of a server of HTTP/2. One that ends first answers what is under way, and says which calls it has not begun: those may be made elsewhere (RFC 9113
 * 6.8). A client cannot be told in advance to begin no more: once it has said so, the platform reads nothing from a session on which nothing is under way.
 */
export class Http2Sessions {
  readonly #since = new Map<ServerHttp2Session, number>();

  constructor(server: Http2Server, { idleTimeout, maxConnectionAge }: SessionOptions) {
    server.on('session', (session) => {
      this.#since.set(session, performance.now());
      if (idleTimeout > 0) session.setTimeout(idleTimeout, () => session.close());
      const age = maxConnectionAge === 0 ? undefined : setTimeout(() => session.close(), jittered(maxConnectionAge)).unref();
      session.once('close', () => {
        clearTimeout(age);
        this.#since.delete(session);
      });
    });
    server.on('sessionError', () => {
      // The platform ends the session; what a client did wrong is nobody's concern here.
    });
  }

  /** Ends those that have had their first call, or time enough for it. To be called again until there is none. */
  end(): void {
    const now = performance.now();
    for (const [session, since] of this.#since) {
      if (session.destroyed || session.closed) continue;
      if (now - since > FIRST_CALL || (session.state.lastProcStreamID ?? 0) > 0) session.close();
    }
  }
}

/** A tenth more or less: connections that were made together are not all made anew together. */
function jittered(age: number): number {
  return age * (0.9 + Math.random() * 0.2);
}
