import type { ServerHttp2Stream } from 'node:http2';

/**
 * The request bytes of one connection that are handled before other connections have their turn. The platform reads up
 * to 2 MB from one socket before it looks at the next; with the default windows of HTTP/2, clients could send 64 KB.
 */
const TURN = 32 * 1024;
/** A stream counts for at least this many bytes, because requests without a body take time as well. */
const STREAM_COST = 1024;

/**
 * Lets connections take turns, so that a client with many requests in progress does not delay the others
 * (docs/decisions/connections-and-limits.md#0039).
 */
export class StreamTurns {
  /** The connections with streams that wait, in the order of their turns. */
  readonly #waiting: ConnectionTurns[] = [];
  #isScheduled = false;
  /** The number of the current pass of the event loop. In each pass, the platform looks at all sockets once. */
  pass = 0;

  /** Makes sure that the end of the current pass is noticed. */
  watchPass(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#endPass);
  }

  /** Gives a connection a turn after those that are waiting. */
  add(connection: ConnectionTurns): void {
    this.#waiting.push(connection);
  }

  readonly #endPass = (): void => {
    this.pass += 1;
    this.#isScheduled = false;
    const connection = this.#waiting.shift();
    if (connection === undefined) return;
    this.watchPass();
    if (connection.takeTurn()) this.add(connection);
  };
}

/** The streams of one connection. Those that wait hold no more than their flow control windows. */
export class ConnectionTurns {
  readonly #waiting: WaitingStream[] = [];
  /** The pass that `#bytesBefore` belongs to. */
  #pass = -1;
  /** The bytes that had been read when the first stream of the pass began. */
  #bytesBefore = 0;

  constructor(
    readonly turns: StreamTurns,
    readonly socket: { readonly bytesRead: number },
  ) {}

  /** Calls `handle` at once or, if the connection has used up its turn, in a later one. A closed stream is dropped. */
  take(stream: TurnStream, handle: () => void): void {
    const { turns, socket } = this;
    turns.watchPass();
    const { bytesRead } = socket;
    if (this.#pass !== turns.pass) {
      this.#pass = turns.pass;
      this.#bytesBefore = bytesRead;
    }
    if (this.#waiting.length === 0) {
      if (bytesRead - this.#bytesBefore < TURN) return handle();
      turns.add(this);
    }
    // A reset by the client is an error, and the handler does not listen yet.
    stream.on('error', () => {});
    this.#waiting.push({ stream, handle });
  }

  /** Handles the streams of one turn. Returns whether others wait. */
  takeTurn(): boolean {
    let cost = 0;
    let count = 0;
    for (; cost < TURN && count < this.#waiting.length; count++) {
      const { stream, handle } = this.#waiting[count] as WaitingStream;
      if (stream.destroyed) continue;
      cost += Math.max(STREAM_COST, stream.readableLength);
      handle();
    }
    this.#waiting.splice(0, count);
    return this.#waiting.length > 0;
  }
}

/** The parts of a stream that are used here. */
type TurnStream = Pick<ServerHttp2Stream, 'destroyed' | 'readableLength'> & {
  readonly on: (event: 'error', listener: () => void) => unknown;
};

interface WaitingStream {
  readonly stream: TurnStream;
  readonly handle: () => void;
}
