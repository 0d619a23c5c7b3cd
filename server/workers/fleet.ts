import { backOff } from '../backoff.js';
import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Receiver } from './hand-over.js';
import { Link } from './link.js';
import type { PortName, PrimaryTopics, WorkerTopics } from './topics.js';
import { workerEnvironment } from './worker-environment.js';

/** The link from the primary process to one worker. */
export type WorkerLink = Link<WorkerTopics, PrimaryTopics>;

/** A process that serves. */
export interface Member extends Receiver {
  readonly id: number;
  readonly link: WorkerLink;
  /** Kills the worker; another one replaces it. */
  readonly kill: () => void;
  /** The version of the rollout that it uses; undefined until it serves. */
  version: number | undefined;
}

/** The options of a fleet. */
export interface FleetOptions {
  /** The path of dist/server.js. */
  readonly program: string;
  readonly count: number;
  /** Registers the primary's handlers on the link to a new worker. */
  readonly answers: (member: Member) => void;
  /** A worker accepts connections; the hash is that of its current bundle. */
  readonly serves: (member: Member, hash: string) => void;
  /** A worker accepts no more connections. */
  readonly gone: (member: Member) => void;
  /** A worker has exited; `restart` is the delay in milliseconds, undefined if it is not replaced. */
  readonly lost: (member: Member, how: string, restart: number | undefined) => void;
  /** Workers keep failing to start. Called with the log message. */
  readonly failed: (message: string) => void;
}

/** Workers limit the time they take to stop; one that hangs is killed after this many milliseconds. */
const LONGEST_STOP = 60_000;
/** How long to wait until a worker confirms that it has retired, in milliseconds; a busy one does so later. */
const RETIRE_PATIENCE = 1000;
/** If no worker serves, the server gives up after this many consecutive early exits. */
const YOUNG_DEATHS = 5;

/**
 * The workers of a server: a fixed number, each replaced when it dies. The platform's cluster starts them and
 * communicates with them; connections do not go through the cluster (hand-over.ts).
 */
export class Fleet {
  readonly #members = new Map<number, Member>();
  readonly #workers = new Map<number, Worker>();
  readonly #delay = new RestartDelay();
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopping = false;
  #hasServed = false;

  constructor(private readonly options: FleetOptions) {}

  /** Starts the workers. */
  start(): void {
    cluster.setupPrimary({ exec: this.options.program, args: process.argv.slice(2), serialization: 'advanced' });
    for (let count = 0; count < this.options.count; count++) this.#fork();
  }

  /** The workers that are serving. */
  serving(): readonly Member[] {
    return [...this.#members.values()].filter(({ version }) => version !== undefined);
  }

  /**
   * Makes every worker report that it is not serving and move its clients elsewhere. From now on, workers are not
   * replaced.
   */
  async retire(): Promise<void> {
    this.#stopReplacing();
    await Promise.allSettled(this.serving().map(({ link }) => link.ask('retire', undefined, RETIRE_PATIENCE)));
  }

  /**
   * Asks every worker to answer the calls in progress and exit, and resolves when all have exited. From now on, workers
   * are not replaced.
   */
  async stop(): Promise<void> {
    this.#stopReplacing();
    const ends = [...this.#workers.values()].map(
      (worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())),
    );
    // It either responds or dies: in both cases it exits.
    for (const { link } of this.#members.values()) link.ask('stop', undefined).catch(() => {});
    const timer = setTimeout(() => this.kill(), LONGEST_STOP);
    await Promise.all(ends);
    clearTimeout(timer);
  }

  /** Kills every worker. */
  kill(): void {
    this.#stopReplacing();
    for (const worker of this.#workers.values()) worker.process.kill('SIGKILL');
  }

  /** Sends every worker a signal. */
  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#workers.values()) worker.process.kill(signal);
  }

  #stopReplacing(): void {
    this.#stopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #fork(): void {
    const worker = cluster.fork(workerEnvironment(process.env));
    const link: WorkerLink = new Link({
      send: (message, sent, socket) => {
        if (worker.isConnected()) worker.send(message as object, socket, { keepOpen: true }, sent);
        else sent(new Error('not connected'));
      },
    });
    const give = (port: PortName, socket: Socket): Promise<undefined> => link.ask('take', port, undefined, socket);
    const member: Member = {
      id: worker.id,
      link,
      give,
      kill: () => void worker.process.kill('SIGKILL'),
      version: undefined,
    };
    let readyAt: number | undefined;
    let failure: string | undefined;
    this.#members.set(member.id, member);
    this.#workers.set(member.id, worker);
    link.answer('ready', ({ version, hash }) => {
      member.version = version;
      readyAt = performance.now();
      this.#hasServed ||= this.serving().length === this.options.count;
      this.options.serves(member, hash);
      return undefined;
    });
    link.answer('failed', (message) => {
      failure = message;
      return undefined;
    });
    this.options.answers(member);
    const gone = (how: string): void => {
      if (!this.#members.delete(member.id)) return;
      this.#workers.delete(member.id);
      this.options.gone(member);
      link.close();
      this.#exited(member, failure ?? how, readyAt);
    };
    worker.on('message', (message) => link.receive(message));
    worker.on('error', (error) => {
      // A message to a worker that has just died; its exit is handled below. A worker that never started has no other
      // exit event.
      if (worker.process.pid === undefined) gone(error.message);
    });
    worker.on('exit', (code, signal) => gone(signal === null ? `ended with status ${code}` : `was ended by ${signal}`));
  }

  #exited(member: Member, how: string, readyAt: number | undefined): void {
    if (this.#stopping) return this.options.lost(member, how, undefined);
    const delay = this.#delay.next(readyAt === undefined ? 0 : performance.now() - readyAt);
    const noneServes = this.serving().length === 0;
    const isHopeless =
      readyAt === undefined && (!this.#hasServed || (noneServes && this.#delay.deaths >= YOUNG_DEATHS));
    if (isHopeless) {
      this.options.lost(member, how, undefined);
      this.#stopReplacing();
      return this.options.failed(how);
    }
    this.options.lost(member, how, delay);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fork();
    }, delay);
    this.#timers.add(timer);
  }
}

/**
 * The first replacement starts immediately, or nearly so; then each waits twice as long, up to the maximum.
 * Milliseconds.
 */
const FIRST = 100;
const LONGEST = 30_000;
/** A worker that has served this long did not die because of its start. */
const STEADY = 10_000;

/** How long to wait before a dead worker is replaced: a short time at first, longer for workers that die repeatedly. */
export class RestartDelay {
  #deaths = 0;

  /** Delay after the death of a worker that served for `served` milliseconds. */
  next(served: number): number {
    this.#deaths = served >= STEADY ? 0 : this.#deaths + 1;
    return backOff(FIRST, this.#deaths, LONGEST);
  }

  /** How many in a row exited early. */
  get deaths(): number {
    return this.#deaths;
  }
}
