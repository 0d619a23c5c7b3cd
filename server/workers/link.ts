import type { Socket } from 'node:net';

/** The requests that one process may send to another: by topic, the values of request and response. Plain data. */
export interface Topics {
  readonly [topic: string]: { readonly asks: unknown; readonly answers: unknown };
}

/** The other end of a channel between processes, as in `child_process.fork`. */
export interface Port {
  /**
   * Calls back with an error if the message could not be sent. A connection may be sent with it; this process keeps its
   * handle open.
   */
  readonly send: (message: unknown, sent: (error: Error | null) => void, socket?: Socket) => void;
}

/**
 * Requests and responses over the channel between the primary process and one worker: the outgoing and the incoming
 * topics.
 */
export class Link<Out extends Topics, In extends Topics> {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #handlers = new Map<keyof In, (value: never, socket: Socket | undefined) => unknown>();
  #last = 0;
  #open = true;

  constructor(private readonly port: Port) {}

  /** False once the other end has exited. */
  get isOpen(): boolean {
    return this.#open;
  }

  /**
   * Rejects with the error message of the other process, when that process has exited, or when it has not responded in
   * `patience` milliseconds.
   */
  ask<T extends keyof Out & string>(
    topic: T,
    value: Out[T]['asks'],
    patience?: number,
    socket?: Socket,
  ): Promise<Out[T]['answers']> {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      const timer =
        patience === undefined
          ? undefined
          : setTimeout(() => settle({ id, error: `no answer to \`${topic}\` in time` }), patience);
      const settle = (answer: Answer): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (answer.error === undefined) resolve(answer.value);
        else reject(new Error(answer.error));
      };
      this.#waiting.set(id, settle);
      if (!this.#open) settle({ id, error: GONE });
      else
        this.port.send(
          { id, topic, value } satisfies Question,
          (error) => error !== null && settle({ id, error: GONE }),
          socket,
        );
    });
  }

  /** The handler of a topic. */
  answer<T extends keyof In>(
    topic: T,
    handler: (value: In[T]['asks'], socket: Socket | undefined) => In[T]['answers'] | Promise<In[T]['answers']>,
  ): void {
    this.#handlers.set(topic, handler as (value: never, socket: Socket | undefined) => unknown);
  }

  /** Receives every incoming message and its connection, if any. */
  receive(message: unknown, socket?: Socket): void {
    if (typeof message !== 'object' || message === null || !('id' in message)) return;
    if ('topic' in message) void this.#reply(message as Question, socket);
    else this.#waiting.get((message as Answer).id)?.(message as Answer);
  }

  /** The other end has exited: no more responses will arrive. */
  close(): void {
    this.#open = false;
    for (const settle of [...this.#waiting.values()]) settle({ id: 0, error: GONE });
  }

  async #reply({ id, topic, value }: Question, socket: Socket | undefined): Promise<void> {
    const handler = this.#handlers.get(topic);
    let answer: Answer;
    try {
      if (handler === undefined) throw new Error(`no handler for \`${topic}\``);
      answer = { id, value: await handler(value as never, socket) };
    } catch (error) {
      answer = { id, error: error instanceof Error ? error.message : String(error) };
    }
    // If the response cannot be sent, the other process has exited.
    if (this.#open) this.port.send(answer, () => {});
  }
}

interface Question {
  readonly id: number;
  readonly topic: string;
  readonly value: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

const GONE = 'the other process is gone';
