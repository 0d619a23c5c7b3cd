import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { AnswerProgress } from './answer-progress.js';
import { MessageProgress } from './message-progress.js';
import { ConnectionTurns, StreamTurns } from './stream-turns.js';

/** How long clients may take, in milliseconds; 0: no limit. */
export interface Deadlines {
  /** Limit to send a header block or any other frame, from its first byte. */
  readonly readHeaderTimeout: number;
  /** Limit to send a request; if the request is a stream of messages, to send each message. */
  readonly readTimeout: number;
  /** Limit to receive a complete response; if the response is a stream, to receive what is ready. */
  readonly writeTimeout: number;
  /** Limit to start another call. */
  readonly idleTimeout: number;
}

/** Answers one HTTP/2 stream. */
export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
) => void;

/** The options of sessions. */
export interface SessionOptions extends Deadlines {
  /** A session is to be renewed after this many milliseconds; 0: never. */
  readonly maxConnectionAge: number;
  /** Whether requests to a path are message streams that may stay open indefinitely. */
  readonly streamsRequest: (path: string) => boolean;
  /** Called when the client's protocol is known. */
  readonly established: (socket: Socket) => void;
}

/** How much of a request a client may send before it is read, in bytes. */
export const STREAM_WINDOW = 256 * 1024;
/** The same for all requests of a connection (docs/decisions/connections-and-limits.md#0039). */
const CONNECTION_WINDOW = 4 * 1024 * 1024;

/** A client that has connected and starts no call within this many milliseconds has none in progress. */
const FIRST_CALL = 250;
/** How long a client may take to close an idle connection that the server has closed, in milliseconds. */
const LINGER = 1000;
/**
 * Deadlines are checked this often, in milliseconds, or four times in the shortest of them; they are not more exact
 * than this.
 */
const SWEEP_INTERVAL = 1000;
const LEAST_SWEEP_INTERVAL = 20;
/** The size of the frame that acknowledges a ping. */
const PING_SIZE = 17;

/**
 * The sessions of an HTTP/2 server. An ending session first answers the calls in progress, and reports which calls it
 * has not begun: clients may retry those elsewhere (RFC 9113 6.8). The server cannot tell a client in advance to start
 * no more calls: after that announcement, the platform reads nothing from a session without calls in progress.
 *
 * The platform has no deadlines for sessions, only timers that every byte restarts. So all sessions are checked
 * regularly:
 *
 * - A request must arrive, and a response must be received, in time; otherwise the stream is reset, and a session
 * without other streams ends.
 * - A streaming response (health Watch, the audit log) has no overall deadline: only the data that is ready must be
 * received in time.
 * - Incomplete frames cannot be seen from here. But a client in the middle of a frame or a header block cannot
 * acknowledge a ping (RFC 9113 6.10), so a ping is sent after bytes have arrived.
 * - An ending session is cut when the calls in progress have used up their time, or at once if there are none.
 */
export class Http2Sessions {
  readonly #connections = new Set<Connection>();
  readonly #interval: number;
  readonly #turns = new StreamTurns();
  #sweep: NodeJS.Timeout | undefined;
  #arriving: Socket | undefined;

  constructor(
    readonly server: Http2Server,
    readonly options: SessionOptions,
    readonly handle: StreamHandler,
  ) {
    const { readHeaderTimeout, readTimeout, writeTimeout, idleTimeout } = options;
    const shortest =
      Math.min(...[readHeaderTimeout, readTimeout, writeTimeout, idleTimeout].filter((timeout) => timeout > 0)) / 4;
    this.#interval = Math.max(LEAST_SWEEP_INTERVAL, Math.min(SWEEP_INTERVAL, shortest));
    server.on('session', (session) => {
      session.setLocalWindowSize(CONNECTION_WINDOW);

      this.#begin(session, this.#arriving as Socket);
    });
    server.on('sessionError', () => {
      // The platform ends the session; protocol errors of a client are not handled here.
    });
  }

  /** Serves a connection. */
  take(socket: Socket): void {
    this.#arriving = socket;
    this.server.emit('connection', socket);
    this.#arriving = undefined;
  }

  /** Ends the sessions that have had their first call, or enough time for it. To be called again until none remain. */
  end(): void {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (!connection.isEnding && connection.hasHadTime(now)) connection.end(now);
    }
  }

  #begin(session: ServerHttp2Session, socket: Socket): void {
    const connection = new Connection(session, socket, this.options, this.handle, this.#turns);
    this.#connections.add(connection);
    // Input that has arrived is read first: a busy process must not treat its clients as late.
    this.#sweep ??= setInterval(() => setImmediate(() => this.#lookAtAll()), this.#interval).unref();
    socket.once('close', () => {
      this.#connections.delete(connection);
      if (this.#connections.size > 0) return;
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    });
  }

  #lookAtAll(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.look(now);
  }
}

/** The state of an open stream. */
interface OpenStream {
  readonly since: number;
  /** If the request is a stream of messages. */
  readonly messages: MessageProgress | undefined;
  isReceived: boolean;
  readonly answer: AnswerProgress;
}

class Connection {
  readonly #streams = new Map<ServerHttp2Stream, OpenStream>();
  readonly #turns: ConnectionTurns;
  readonly #since = performance.now();
  /** When the session is to be renewed. */
  readonly #endAt: number;
  #idleSince = this.#since;
  /** The number of received bytes up to which all frames are complete. */
  #completeBytes = 0;
  #pingSince: number | undefined;
  /** When the connection is cut. */
  #cutAt = Number.POSITIVE_INFINITY;
  #hasStalled = false;

  constructor(
    readonly session: ServerHttp2Session,
    readonly socket: Socket,
    readonly options: SessionOptions,
    readonly handle: StreamHandler,
    turns: StreamTurns,
  ) {
    const { maxConnectionAge, established } = options;
    this.#turns = new ConnectionTurns(turns, socket);
    this.#endAt = maxConnectionAge === 0 ? Number.POSITIVE_INFINITY : this.#since + jittered(maxConnectionAge);
    session.once('remoteSettings', () => established(socket));
    session.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]) =>
        this.#open(stream, headers, flags, rawHeaders),
    );
  }

  get isEnding(): boolean {
    return this.#cutAt !== Number.POSITIVE_INFINITY;
  }

  hasHadTime(now: number): boolean {
    return (
      now - this.#since > FIRST_CALL || (!this.session.destroyed && (this.session.state.lastProcStreamID ?? 0) > 0)
    );
  }

  /**
   * Ends the session when the calls in progress are answered, and cuts the connection if they, or the client, take too
   * long.
   */
  end(now: number): void {
    const { readTimeout, writeTimeout } = this.options;
    // Every call has used up its time by then. Without deadlines, only the client knows how long it takes.
    const grace = readTimeout === 0 || writeTimeout === 0 ? Number.MAX_SAFE_INTEGER : readTimeout + writeTimeout;
    this.#cutAt = Math.min(this.#cutAt, now + Math.max(grace, LINGER));
    if (!this.session.closed && !this.session.destroyed) this.session.close();
  }

  look(now: number): void {
    if (now >= this.#cutAt) {
      this.socket.destroy();
      return;
    }
    if (this.session.destroyed) {
      this.#cutAt = Math.min(this.#cutAt, now + LINGER);
      return;
    }
    for (const [stream, open] of this.#streams) if (this.#isLate(stream, open, now)) this.#reset(stream);
    this.#lookAtFrames(now);
    const isIdle = this.#streams.size === 0;
    if (this.isEnding) {
      if (isIdle) this.#cutAt = Math.min(this.#cutAt, now + LINGER);
      return;
    }
    const { idleTimeout } = this.options;
    const hasIdled = isIdle && (this.#hasStalled || (idleTimeout > 0 && now - this.#idleSince > idleTimeout));
    if (hasIdled || now > this.#endAt) this.end(now);
  }

  #open(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]): void {
    const since = performance.now();
    const messages = this.options.streamsRequest(headers[':path'] ?? '') ? new MessageProgress() : undefined;
    this.#turns.take(stream, () => {
      this.handle(stream, headers, flags, rawHeaders);
      // The handler has begun to read, or has paused the stream.
      if (messages !== undefined) stream.on('data', (chunk: Buffer) => messages.add(chunk, performance.now()));
    });
    this.#streams.set(stream, { since, messages, isReceived: false, answer: new AnswerProgress() });
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#idleSince = performance.now();
      // The platform's table of streams can keep a closed one until old garbage is collected: it is not to keep the
      // call and its buffers as well (docs/decisions/connections-and-limits.md#0155). Nothing follows this event.
      stream.removeAllListeners();
    });
  }

  #isLate(stream: ServerHttp2Stream, open: OpenStream, now: number): boolean {
    const { readTimeout, writeTimeout } = this.options;
    if (readTimeout > 0 && this.#isRequestLate(stream, open, now - readTimeout)) return true;
    return writeTimeout > 0 && open.answer.isLate(stream, now, writeTimeout);
  }

  #isRequestLate(stream: ServerHttp2Stream, open: OpenStream, begunBefore: number): boolean {
    if (open.messages !== undefined) return (open.messages.partialSince ?? Number.POSITIVE_INFINITY) < begunBefore;
    if (open.isReceived || open.since >= begunBefore) return false;
    const { state } = stream.state;
    open.isReceived =
      state !== constants.NGHTTP2_STREAM_STATE_OPEN && state !== constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_LOCAL;
    return !open.isReceived;
  }

  #reset(stream: ServerHttp2Stream): void {
    this.#hasStalled = true;
    this.#streams.delete(stream);
    stream.close(constants.NGHTTP2_CANCEL);
    // A client that receives nothing does not receive the reset either.
    stream.destroy();
  }

  #lookAtFrames(now: number): void {
    const { readHeaderTimeout, readTimeout, writeTimeout } = this.options;
    if (readHeaderTimeout === 0 || this.session.destroyed) return;
    if (this.#pingSince !== undefined) {
      // Data that a client is sending, or must receive before the ping, may delay its acknowledgement.
      const patience =
        this.#streams.size === 0 ? readHeaderTimeout : Math.max(readHeaderTimeout, readTimeout, writeTimeout);
      if (now - this.#pingSince > patience) this.socket.destroy();
      return;
    }
    const { bytesRead } = this.socket;
    if (bytesRead === this.#completeBytes) return;
    this.#pingSince = now;
    this.session.ping(() => {
      this.#pingSince = undefined;
      this.#completeBytes = bytesRead + PING_SIZE;
    });
  }
}

/** Ten percent more or less, so that connections opened together are not all renewed together. */
function jittered(age: number): number {
  return age * (0.9 + Math.random() * 0.2);
}
