import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import type { AuditConfig, DecisionLogFilters } from '../config/audit-config.js';
import type { EntryTime } from '../service/call-times.js';
import type { FactsOfCheck } from '../service/facts.js';
import type { Call } from '../service/call.js';
import type { Checked, Deliver, Exceeded, Planned, Watcher } from '../service/watcher.js';
import type { AuditedBundle } from './audited-bundle.js';
import type { OnAuditProblem } from './backend.js';
import { canonicalJson } from './chain/canonical-json.js';
import { checkDetails, planDetails } from './details.js';
import {
  accessEntry,
  type AuditEntry,
  type AuditKind,
  checkEntry,
  type EntryContext,
  exceededEntry,
  planEntry,
} from './entry.js';
import { entryText } from './entry-text.js';
import { provideDocuments } from '../service/tenants.js';
import { type MetadataRules, metadataRules } from './metadata-rules.js';
import { askOncePerKind, type FindReadSets, keepAll, keepReadSets } from './read-set.js';
import { withTenants } from './tenants.js';
import { type AuditRecord, type EntryText, makeRecord } from './record.js';
import type { AuditSink } from './sink.js';

export interface AuditWatcherOptions {
  readonly config: AuditConfig;
  readonly sink: AuditSink;
  /**
   * What decides a call. Asked when a decision has been made, so that a bundle swapped before the entry is made does not
   * matter.
   */
  readonly bundle: (call: Call) => AuditedBundle;
  readonly onProblem: OnAuditProblem;
  /** Told of the entries about calls that are traced. */
  readonly onEntry?: (call: Call, time: EntryTime) => void;
}

/** What tells the audit log of calls, until it is closed. */
export interface AuditWatch {
  readonly watcher: Watcher;
  /**
   * Set with `audit.delivery: before_reply`: replies wait for this. It is notified of the end of a call instead of the
   * watcher.
   */
  readonly deliver: Deliver | undefined;
  /** Makes the entries that are still to be made, flushes the sink and closes it. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the entries of the audit log (docs/spec/server.md#audit-log). On the way of a reply it only keeps references;
 * entries are made when the turn of the event loop ends, or after a call if there is much to make them of, and put into
 * the sink. Calls without an id (not valid, or of another service) make none.
 */
export function auditWatcher(options: AuditWatcherOptions): AuditWatch {
  const { config, bundle } = options;
  const maker = new EntryMaker(options);
  const decisions: Watcher = {
    checked: (call, checked) => maker.keep({ kind: 'check', call, checked, bundle: bundle(call) }),
    planned: (call, planned) => maker.keep({ kind: 'plan', call, planned, bundle: bundle(call) }),
    exceeded: (call, exceeded) => maker.keep({ kind: 'exceeded', call, exceeded, bundle: bundle(call) }),
  };
  const ended: Watcher['ended'] = (call, end) => {
    if (config.accessLogsEnabled) maker.keep({ kind: 'access', call, end, bundle: bundle(call) });
    maker.callEnded();
  };
  const isAfterReply = config.delivery === 'after_reply';
  return {
    watcher: {
      ...(config.decisionLogsEnabled ? decisions : {}),
      ...(isAfterReply ? { ended } : {}),
    },
    deliver: isAfterReply
      ? undefined
      : (call, end) =>
          maker.deliver(
            call,
            config.accessLogsEnabled ? { kind: 'access', call, end, bundle: bundle(call) } : undefined,
          ),
    close: () => maker.close(),
  };
}

/** An event that becomes an entry. */
type Pending = { readonly call: Call; readonly bundle: AuditedBundle } & (
  | { readonly kind: 'access'; readonly end: Parameters<Deliver>[1] }
  | { readonly kind: 'check'; readonly checked: Checked }
  | { readonly kind: 'plan'; readonly planned: Planned }
  | { readonly kind: 'exceeded'; readonly exceeded: Exceeded }
);

/**
 * The number of pending resources from which on entries are made when the next call has ended. A turn of the event loop
 * may have hundreds of calls, and each keeps its request, which the garbage collector would copy.
 */
const MOST_PENDING = 16;

class EntryMaker {
  #pending: Pending[] = [];
  /** What is pending is about so many. */
  #pendingResources = 0;
  /** When the entries of what is pending are made. */
  #made = Promise.resolve();
  /** Deliveries of calls whose replies wait. */
  readonly #deliveries = new WeakMap<Call, Promise<void>[]>();
  readonly #metadata: MetadataRules;
  /** The hash of a chained entry is of its canonical form, which workers make: the process that chains has less to do. */
  readonly #serialize: EntryText;

  constructor(private readonly options: AuditWatcherOptions) {
    this.#serialize = options.config.chain.enabled ? canonicalJson : entryText;
    this.#metadata = metadataRules(options.config.includeMetadataKeys, options.config.excludeMetadataKeys);
  }

  keep(pending: Pending): void {
    if (pending.call.id === '') return;
    const count = this.#pending.push(pending);
    this.#pendingResources += pending.kind === 'check' ? pending.checked.resources.length : 1;
    if (count > 1) return;
    this.#made = new Promise((resolve) =>
      setImmediate(() => {
        this.#makeEntries();
        resolve();
      }),
    );
  }

  /** Makes the entries of what is pending if that is much. */
  callEnded(): void {
    if (this.#pendingResources >= MOST_PENDING) process.nextTick(() => this.#makeEntries());
  }

  /** Resolves when the sink has delivered all entries of a call; the last one comes with it. */
  async deliver(call: Call, last: Pending | undefined): Promise<void> {
    if (last !== undefined) this.keep(last);
    this.callEnded();
    await this.#made;
    await Promise.all(this.#deliveries.get(call) ?? []);
  }

  async close(): Promise<void> {
    this.#makeEntries();
    await this.options.sink.close();
  }

  #makeEntries(): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingResources = 0;
    for (const item of pending) {
      const start = item.call.trace !== undefined ? performance.now() : 0;
      try {
        const record = this.#recordOf(item);
        if (record === undefined) continue;
        this.#hand(item.call, record);
        if (item.call.trace !== undefined)
          this.options.onEntry?.(item.call, { kind: record.kind, start, end: performance.now() });
      } catch (error) {
        this.options.onProblem(`an audit entry could not be made: ${(error as Error).message}`, error as Error);
        this.#keepDelivery(item.call, Promise.reject(error as Error));
      }
    }
  }

  #hand(call: Call, record: AuditRecord): void {
    if (this.options.config.delivery === 'after_reply') this.options.sink.put(record);
    else this.#keepDelivery(call, this.options.sink.deliver(record));
  }

  #keepDelivery(call: Call, delivery: Promise<void>): void {
    // The reply that waits for it fails; the sink has logged the error.
    delivery.catch(() => {});
    const own = this.#deliveries.get(call);
    if (own === undefined) this.#deliveries.set(call, [delivery]);
    else own.push(delivery);
  }

  #recordOf(item: Pending): AuditRecord | undefined {
    const { config, onProblem } = this.options;
    const { call, bundle } = item;
    const context: EntryContext = { metadata: this.#metadata, policySource: bundle.policySource };
    const now = Date.now();
    switch (item.kind) {
      case 'access':
        return this.#record('access', accessEntry(call, item.end, context), call.timestamp);
      case 'check': {
        if (!isCheckLogged(config.decisionLogFilters, item.checked)) return undefined;
        const details = checkDetails(bundle, item.checked, provideDocuments(call), onProblem);
        const entry = checkEntry(call, item.checked, details, context, now);
        const known = withTenants(entry, bundle, call, item.checked.principal);
        return this.#recordDecision(known, bundle, call, now, item.checked.facts);
      }
      case 'exceeded':
        return this.#recordDecision(exceededEntry(call, item.exceeded, context, now), bundle, call, now);
      case 'plan': {
        if (!isPlanLogged(config.decisionLogFilters, item.planned)) return undefined;
        const details = planDetails(bundle, item.planned, provideDocuments(call), onProblem);
        const entry = planEntry(call, item.planned, details, context, now);
        const principal = item.planned.request.principal;
        return this.#recordDecision(withTenants(entry, bundle, call, principal), bundle, call, now);
      }
    }
  }

  #recordDecision(
    entry: DecisionLogEntry,
    bundle: AuditedBundle,
    call: Call,
    now: number,
    facts?: FactsOfCheck,
  ): AuditRecord {
    return this.#record('decision', this.#withoutUnread(entry, bundle, call, facts), now);
  }

  /** An entry without the attributes and claims that are not to be kept. */
  #withoutUnread(
    entry: DecisionLogEntry,
    { readSets, rolesOfTenant }: AuditedBundle,
    call: Call,
    facts: FactsOfCheck | undefined,
  ): DecisionLogEntry {
    const { config, onProblem } = this.options;
    if (config.facts === 'all') return keepAll(entry, facts);
    if (config.facts === 'none' || readSets === undefined) return keepReadSets(entry, undefined);
    const documents = provideDocuments(call);
    const find: FindReadSets = (input) => readSets(input, documents);
    try {
      return keepReadSets(entry, rolesOfTenant === undefined ? askOncePerKind(find) : find, facts);
    } catch (error) {
      onProblem(
        `an audit entry is without attributes, as it is not known what they are read for: ${(error as Error).message}`,
        error as Error,
      );
      return keepReadSets(entry, undefined);
    }
  }

  #record(kind: AuditKind, entry: AuditEntry, time: number): AuditRecord {
    const { config, sink } = this.options;
    return makeRecord(kind, entry, time, config.mask, this.#serialize, sink.encode);
  }
}

/** Whether a check makes a decision entry: a check without any denial may be left out. */
function isCheckLogged(filters: DecisionLogFilters, checked: Checked): boolean {
  if (!filters.checkResources.ignoreAllowAll) return true;
  return checked.decisions.some(({ actions }) => actions.some(({ effect }) => effect !== 1));
}

/** Whether a plan makes a decision entry. */
function isPlanLogged(filters: DecisionLogFilters, planned: Planned): boolean {
  const { ignoreAll, ignoreAlwaysAllow } = filters.planResources;
  if (ignoreAll) return false;
  return !(ignoreAlwaysAllow && planned.plan.filter.kind === 'KIND_ALWAYS_ALLOWED');
}
