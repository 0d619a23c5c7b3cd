import { Worker } from 'node:worker_threads';
import type { PlanResource, Principal } from '../../proto/gen/messages.js';
import type { Config } from '../config.js';
import type { Logger } from '../observe/log/logger.js';
import type { RolloutEvents } from '../observe/options.js';
import type { Call } from '../service/call.js';
import type { FactsOfCheck } from '../service/facts.js';
import { loadTenants, type TenantService } from '../service/tenants.js';
import type { Watcher } from '../service/watcher.js';
import type { BundleText } from '../bundle/read-bundle.js';
import type { Comparison, ShadowItem, UnknownFacts } from './comparison.js';
import type { Answered, ComparedTenants, DifferenceLog } from './difference-log.js';
import type { RefusedTenant, ShadowThreadData } from './shadow-thread.js';

/** The options of a shadow. */
export interface ShadowOptions {
  readonly config: Config;
  readonly events: RolloutEvents;
  readonly log: DifferenceLog;
  readonly logger: Logger;
  /** The documents of tenants that the candidate needs; undefined: there are none. */
  readonly tenants?: TenantService | undefined;
  /** The built module of the thread, for processes that run sources; the others of these options are for tests, too. */
  readonly thread?: URL;
  readonly patience?: number;
  readonly pause?: number;
}

/** What one process keeps of calls that wait for the candidate: how many, and in bytes of their requests. */
const MOST = { items: 1000, bytes: 8 * 1024 * 1024 };
/** What is sent to the thread at once: writing it is work of the event loop that serves. */
const BATCH = { items: 64, bytes: 64 * 1024 };
/** A call with a larger request is not compared, in bytes. */
const LARGEST = 256 * 1024;
/** What an item takes beside the bytes of its request. */
const ITEM = 1024;
/** How long the thread may take for a batch, and for its start, in milliseconds. */
const PATIENCE = 10_000;
/** How long after a failure the thread is started again, in milliseconds. */
const PAUSE = 10_000;
/** Limits in megabytes. */
const MEMORY = { maxOldGenerationSizeMb: 1024 };

interface Waiting {
  readonly answered: Answered;
  readonly tenants: ComparedTenants;
  readonly bytes: number;
}

/**
 * Lets a candidate answer the calls that the current bundle has answered, after their replies and in a thread of its
 * own, and reports where it differs. What does not fit into the bounded queue is dropped and counted.
 */
export class Shadow {
  readonly watcher: Watcher;
  /** Answers of calls that are not answered yet. */
  readonly #pending = new WeakMap<Call, Answered[]>();
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  /** How many wait for documents of tenants. */
  #loading = 0;
  #sent: readonly Waiting[] = [];
  #candidate: BundleText | undefined;
  /** Undefined while it pauses. */
  #thread: Worker | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;

  constructor(private readonly options: ShadowOptions) {
    const { rate } = options.config.rollout;
    const keep = (answered: Answered): void => {
      if (this.#candidate === undefined || Math.random() >= rate) return;
      const pending = this.#pending.get(answered.call);
      if (pending === undefined) this.#pending.set(answered.call, [answered]);
      else pending.push(answered);
    };
    this.watcher = {
      checked: (call, checked) => keep({ kind: 'check', call, time: Date.now(), checked }),
      planned: (call, planned) => keep({ kind: 'plan', call, time: Date.now(), planned }),
      ended: (call, { requestSize }) => {
        const pending = this.#pending.get(call);
        if (pending === undefined) return;
        this.#pending.delete(call);
        this.#enqueue(pending, requestSize);
      },
    };
  }

  /** The number of calls that wait, for tests. */
  get waiting(): number {
    return this.#queue.length + this.#sent.length;
  }

  /** Compares with this candidate from now on; undefined: with none. */
  follow(candidate: BundleText | undefined): void {
    if (candidate?.digest === this.#candidate?.digest) return;
    this.#end();
    this.#candidate = candidate;
    if (candidate !== undefined) this.#start(candidate);
  }

  /** Ends the thread; what waits is not compared. */
  async close(): Promise<void> {
    this.follow(undefined);
    await this.options.log.close();
  }

  #enqueue(answered: readonly Answered[], requestSize: number): void {
    const bytes = requestSize + ITEM;
    const { length } = answered;
    const fits =
      this.#thread !== undefined &&
      requestSize <= LARGEST &&
      this.#queue.length + this.#loading + length <= MOST.items &&
      this.#queuedBytes + bytes * length <= MOST.bytes;
    if (!fits) return this.options.events.dropped(length);
    try {
      const tenants = this.#tenantsOf(answered);
      if (tenants instanceof Promise) void this.#load(answered, tenants, bytes);
      else this.#push(answered, tenants, bytes);
    } catch {
      // A document cannot be loaded.
      this.options.events.dropped(length);
    }
  }

  /** The documents of the items of a call, and those that only the candidate needs: usually there are none. */
  #tenantsOf(answered: readonly Answered[]): ComparedTenants | Promise<ComparedTenants> {
    const known = answered[0]?.call.tenants;
    const needed = { tenants: known && new Map(known), bundle: undefined };
    const { tenants } = this.options;
    const waiting = tenants && loadTenants(tenants, needed, answered.map(readPrincipal));
    return waiting === undefined ? needed.tenants : waiting.then(() => needed.tenants);
  }

  async #load(answered: readonly Answered[], loading: Promise<ComparedTenants>, bytes: number): Promise<void> {
    const { length } = answered;
    const thread = this.#thread;
    this.#loading += length;
    try {
      const tenants = await loading;
      if (thread === this.#thread) this.#push(answered, tenants, bytes);
      else this.options.events.dropped(length);
    } catch {
      this.options.events.dropped(length);
    } finally {
      this.#loading -= length;
    }
  }

  #push(answered: readonly Answered[], tenants: ComparedTenants, bytes: number): void {
    for (const item of answered) this.#queue.push({ answered: item, tenants, bytes });
    this.#queuedBytes += bytes * answered.length;
    if (this.#queue.length === answered.length && this.#sent.length === 0) setImmediate(this.#send);
  }

  /** The thread has one batch at a time. */
  readonly #send = (): void => {
    if (this.#thread === undefined || this.#sent.length > 0 || this.#queue.length === 0) return;
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      bytes += waiting.bytes;
      if (count > 0 && (bytes > BATCH.bytes || count >= BATCH.items)) break;
      count++;
    }
    this.#sent = this.#queue.splice(0, count);
    for (const waiting of this.#sent) this.#queuedBytes -= waiting.bytes;
    try {
      this.#thread.postMessage(this.#sent.map(toItem));
    } catch {
      // A value that cannot be sent to a thread.
      this.options.events.dropped(this.#sent.length);
      this.#sent = [];
      setImmediate(this.#send);
      return;
    }
    this.#watch('no answer in time');
  };

  #start(candidate: BundleText): void {
    const workerData: ShadowThreadData = { config: this.options.config, candidate };
    // In a built program, it is beside the chunk that starts it.
    const thread = new Worker(this.options.thread ?? new URL('./shadow-thread.js', import.meta.url), {
      workerData,
      resourceLimits: MEMORY,
    });
    thread.unref();
    thread.on('message', (message: readonly Comparison[] | RefusedTenant) => {
      if (thread !== this.#thread) return;
      if ('tenant' in message) this.options.logger.warn('the candidate refuses the roles of a tenant', { ...message });
      else this.#receive(message);
    });
    const failed = (reason: string): void => {
      if (thread === this.#thread) this.#pause(reason);
    };
    thread.on('error', (error: Error) => failed(error.message));
    thread.on('exit', (code) => failed(`it ended with code ${code}`));
    this.#thread = thread;
  }

  #receive(comparisons: readonly Comparison[]): void {
    clearTimeout(this.#watchdog);
    const sent = this.#sent;
    this.#sent = [];
    for (const [index, comparison] of comparisons.entries()) {
      const waiting = sent[index];
      if (waiting === undefined) continue;
      this.options.events.compared(comparison);
      if (comparison.result !== 'same') this.options.log.write(waiting.answered, comparison, waiting.tenants);
    }
    if (this.#queue.length > 0) setImmediate(this.#send);
  }

  #watch(reason: string): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#pause(reason), this.options.patience ?? PATIENCE).unref();
  }

  #pause(reason: string): void {
    const pause = this.options.pause ?? PAUSE;
    this.options.logger.warn('the thread of the candidate failed', { reason, restart_ms: pause });
    const candidate = this.#candidate;
    this.#end();
    this.#restart = setTimeout(() => {
      if (candidate !== undefined && candidate === this.#candidate) this.#start(candidate);
    }, pause).unref();
  }

  #end(): void {
    clearTimeout(this.#watchdog);
    clearTimeout(this.#restart);
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    const lost = this.waiting;
    if (lost > 0) this.options.events.dropped(lost);
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#sent = [];
  }
}

function toItem({ answered, tenants: loaded }: Waiting): ShadowItem {
  const { time } = answered;
  const tenants = loaded && { tenants: [...loaded] };
  if (answered.kind === 'check') {
    const { principal, resources, auxData, includeMeta, decisions, facts } = answered.checked;
    return {
      kind: 'check',
      time,
      ...tenants,
      call: { principal, resources, auxData, includeMeta },
      effects: decisions.map(({ actions }) => actions.map(({ effect }) => effect)),
      ...(facts && { unknown: listUnknown(facts) }),
    };
  }
  const { request, plan, auxData, unknown } = answered.planned;
  return {
    kind: 'plan',
    time,
    ...tenants,
    call: {
      principal: readPrincipal(answered),
      // Validation has seen to it that it is there.
      resource: request.resource as PlanResource,
      actions: request.action === '' ? request.actions : [request.action],
      auxData,
    },
    filter: plan.filter,
    ...(unknown && { unknown: { principal: unknown } }),
  };
}

function listUnknown({ principal, actors, resources }: FactsOfCheck): UnknownFacts {
  const ofPrincipals = [principal, ...actors].flatMap(({ unknown }) => unknown);
  return { principal: [...new Set(ofPrincipals)], resources: resources.map(({ unknown }) => unknown) };
}

function readPrincipal(answered: Answered): Principal {
  // Validation has seen to it that it is there.
  return answered.kind === 'check' ? answered.checked.principal : (answered.planned.request.principal as Principal);
}
