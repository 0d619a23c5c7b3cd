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

/** How long clients may take, in milliseconds; 0: as long as they like. */
export interface Deadlines {
  /** To send a header block, or any other frame, from its first byte on. */
  readonly readHeaderTimeout: number;
  /** To send a request; where a request is a stream of messages, to send each of them. */
  readonly readTimeout: number;
  /** To take an answer that is complete; where the answer is a stream, to take what is ready. */
  readonly writeTimeout: number;
  /** To begin another call. */
  readonly idleTimeout: number;
}

/** How sessions are treated. */
export interface SessionOptions extends Deadlines {
  /** After so many milliseconds a session is to be made anew; 0: never. */
  readonly maxConnectionAge: number;
  /** Whether the request to a path is a stream of messages that need not end. */
  readonly streamsRequest: (path: string) => boolean;
  /** Called when the client has said what it speaks. */
  readonly established: (socket: Socket) => void;
}

/** A client that has connected and begins no call in so many milliseconds has none under way. */
const FIRST_CALL = 250;
/**
 * How long a client may take to close a connection that the server has closed and on which nothing is under way, in
 * milliseconds.
 */
const LINGER = 1000;
/**
 * Deadlines are looked at this often, in milliseconds, or four times in the shortest of them: none is kept more
 * exactly.
 */
const SWEEP_INTERVAL = 1000;
const LEAST_SWEEP_INTERVAL = 20;
/** The bytes of the frame that acknowledges a ping. */
const PING_SIZE = 17;

/**
 * The sessions of a server of HTTP/2. One that ends first answers what is under way, and says which calls it has not
 * begun: those may be made elsewhere (RFC 9113 6.8). A client cannot be told in advance to begin no more: once it has
 * said so, the platform reads nothing from a session on which nothing is under way.
 *
 * The platform has no deadlines for sessions, only timers that every byte starts again. So all sessions are looked at
 * regularly:
 *
 * - A request has to arrive, and an answer has to be taken, in time; otherwise the stream is reset, and a session that
 *   has no other stream ends.
 * - An answer that is a stream (health Watch, the audit log) has no deadline as a whole: only what is ready has to be
 *   taken in time.
 * - Frames that do not end cannot be seen from here. But a client in the middle of a frame or a header block cannot
 *   acknowledge a ping (RFC 9113 6.10), so after
 *   bytes have come the client is asked for one.
 * - A session that ends is cut when calls under way have had their time, or at once when there are none.
 */
export class Http2Sessions {
  readonly #connections = new Set<Connection>();
  readonly #interval: number;
  #sweep: NodeJS.Timeout | undefined;
  #arriving: Socket | undefined;

  constructor(
    readonly server: Http2Server,
    readonly options: SessionOptions,
  ) {
    const { readHeaderTimeout, readTimeout, writeTimeout, idleTimeout } = options;
    const shortest =
      Math.min(...[readHeaderTimeout, readTimeout, writeTimeout, idleTimeout].filter((timeout) => timeout > 0)) / 4;
    this.#interval = Math.max(LEAST_SWEEP_INTERVAL, Math.min(SWEEP_INTERVAL, shortest));
    server.on('session', (session) => this.#begin(session, this.#arriving as Socket));
    server.on('sessionError', () => {
      // The platform ends the session; what a client did wrong is nobody's concern here.
    });
  }

  /** Serves a connection. */
  take(socket: Socket): void {
    this.#arriving = socket;
    this.server.emit('connection', socket);
    this.#arriving = undefined;
  }

  /** Ends those that have had their first call, or time enough for it. To be called again until there is none. */
  end(): void {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (!connection.isEnding && connection.hasHadTime(now)) connection.end(now);
    }
  }

  #begin(session: ServerHttp2Session, socket: Socket): void {
    const connection = new Connection(session, socket, this.options);
    this.#connections.add(connection);
    // What has come is read first: a process that was busy must not take its clients for late.
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

/** What is known of a stream that is open. */
interface OpenStream {
  readonly since: number;
  /** Of a request that is a stream of messages. */
  readonly messages: MessageProgress | undefined;
  isReceived: boolean;
  readonly answer: AnswerProgress;
}

class Connection {
  readonly #streams = new Map<ServerHttp2Stream, OpenStream>();
  readonly #since = performance.now();
  /** When the session is to be made anew. */
  readonly #endAt: number;
  #idleSince = this.#since;
  /** Of so many bytes that have come, all frames are complete. */
  #completeBytes = 0;
  #pingSince: number | undefined;
  /** When the connection is cut. */
  #cutAt = Number.POSITIVE_INFINITY;
  #hasStalled = false;

  constructor(
    readonly session: ServerHttp2Session,
    readonly socket: Socket,
    readonly options: SessionOptions,
  ) {
    const { maxConnectionAge, established } = options;
    this.#endAt = maxConnectionAge === 0 ? Number.POSITIVE_INFINITY : this.#since + jittered(maxConnectionAge);
    session.once('remoteSettings', () => established(socket));
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => this.#open(stream, headers));
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
   * Ends the session when what is under way is answered, and cuts the connection when that, or the client, takes too
   * long.
   */
  end(now: number): void {
    const { readTimeout, writeTimeout } = this.options;
    // Every call has had its time then. Without deadlines only the client knows how long it takes.
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

  #open(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const since = performance.now();
    const messages = this.options.streamsRequest(headers[':path'] ?? '') ? new MessageProgress() : undefined;
    // Whoever answers has begun to read, or has paused the stream.
    if (messages !== undefined) stream.on('data', (chunk: Buffer) => messages.add(chunk, performance.now()));
    this.#streams.set(stream, { since, messages, isReceived: false, answer: new AnswerProgress() });
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#idleSince = performance.now();
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
    // A client that takes nothing does not take the reset either.
    stream.destroy();
  }

  #lookAtFrames(now: number): void {
    const { readHeaderTimeout, readTimeout, writeTimeout } = this.options;
    if (readHeaderTimeout === 0 || this.session.destroyed) return;
    if (this.#pingSince !== undefined) {
      // What a client sends, and what it has to take before the ping, may hold up its acknowledgement.
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

/** A tenth more or less: connections that were made together are not all made anew together. */
function jittered(age: number): number {
  return age * (0.9 + Math.random() * 0.2);
}
