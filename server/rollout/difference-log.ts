import { appendFile, stat } from 'node:fs/promises';
import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import { checkEntry, planEntry } from '../audit/entry.js';
import { maskEntry } from '../audit/mask.js';
import { metadataRules } from '../audit/metadata-rules.js';
import type { AuditConfig } from '../config/audit-config.js';
import { release } from '../release.js';
import type { Call, LoadedTenant } from '../service/call.js';
import type { Checked, Planned } from '../service/watcher.js';
import type { Logger } from '../observe/log/logger.js';
import type { CandidateAnswer, Comparison } from './comparison.js';

/** A call of the engine that is to be compared. */
export type Answered =
  | { readonly kind: 'check'; readonly call: Call; readonly time: number; readonly checked: Checked }
  | { readonly kind: 'plan'; readonly call: Call; readonly time: number; readonly planned: Planned };

/** The documents of tenants with which a call is compared, by tenant; undefined without one. */
export type ComparedTenants = ReadonlyMap<string, LoadedTenant> | undefined;

/** Where differences are written. */
export interface DifferenceLogOptions {
  readonly audit: Pick<AuditConfig, 'mask' | 'includeMetadataKeys' | 'excludeMetadataKeys'>;
  /** Undefined: to the logger. */
  readonly file: string | undefined;
  readonly logger: Logger;
  /** The hashes of the bundle that decided a call, and of the candidate. */
  readonly hashes: (answered: Answered) => { readonly current: string; readonly candidate: string };
}

/** A line: an entry of the audit log with what the candidate answered. */
interface DifferenceEntry extends DecisionLogEntry {
  readonly candidate: {
    readonly bundleHash: string;
    readonly result: string;
    readonly changes?: readonly string[];
    /** Why there is no answer. */
    readonly error?: string;
    readonly outputs?: unknown;
    readonly output?: unknown;
  };
}

/** Lines a second in each process: a sample says enough. */
const MOST_A_SECOND = 10;
/** Length of a line, in characters. A longer one loses its request and answers. */
const LONGEST = 64 * 1024;
/** The file does not grow beyond this many bytes; move it away for more. */
const LARGEST_FILE = 64 * 1024 * 1024;
/** Lines that may wait for the disk. */
const MOST_WAITING = 100;

/** Writes a sample of the differences between two bundles (docs/rollout.md#the-log). Never throws. */
export class DifferenceLog {
  #second = 0;
  #written = 0;
  #waiting = 0;
  #writing: Promise<void> = Promise.resolve();
  #isBroken = false;

  constructor(private readonly options: DifferenceLogOptions) {}

  /** Writes a line, unless there were enough in this second. */
  write(
    answered: Answered,
    comparison: Exclude<Comparison, { readonly result: 'same' }>,
    tenants?: ComparedTenants,
  ): void {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) [this.#second, this.#written] = [second, 0];
    if (this.#written >= MOST_A_SECOND) return;
    this.#written++;
    try {
      this.#put({ ...this.#entryOf(answered, comparison), ...auditedTenants(tenants) });
    } catch (error) {
      this.options.logger.warn('a difference could not be logged', { error });
    }
  }

  /** Resolves when what was written is in the file. */
  close(): Promise<void> {
    return this.#writing;
  }

  #put(entry: DifferenceEntry): void {
    const { file, logger } = this.options;
    const text = JSON.stringify(entry);
    const { callId, timestamp, policySource, candidate } = entry;
    const { bundleHash, result } = candidate;
    const bounded =
      text.length <= LONGEST
        ? text
        : JSON.stringify({
            callId,
            timestamp,
            policySource,
            auditTrail: {},
            checkResources: {},
            oversized: true,
            candidate: { bundleHash, result },
          });
    if (file === undefined)
      return logger.members('info', 'the candidate decides differently', `"difference":${bounded}`);
    if (this.#waiting >= MOST_WAITING) return;
    this.#waiting++;
    this.#writing = this.#writing.then(() => this.#append(file, `${bounded}\n`));
  }

  async #append(file: string, line: string): Promise<void> {
    try {
      const size = await stat(file).then(
        (found) => found.size,
        () => 0,
      );
      // One write each: processes append to the same file.
      if (size + line.length <= LARGEST_FILE) await appendFile(file, line, { mode: 0o600 });
      this.#isBroken = false;
    } catch (error) {
      if (!this.#isBroken) this.options.logger.warn('the log of differences cannot be written', { file, error });
      this.#isBroken = true;
    } finally {
      this.#waiting--;
    }
  }

  #entryOf(answered: Answered, comparison: Exclude<Comparison, { readonly result: 'same' }>): DifferenceEntry {
    const { current, candidate } = this.options.hashes(answered);
    const entry = this.#masked(answered, undefined, current);
    const about = { bundleHash: candidate, result: comparison.result };
    if (comparison.result === 'needs')
      return { ...entry, candidate: { ...about, error: `needs ${comparison.needs.join(', ')}` } };
    if (comparison.result !== 'different') return { ...entry, candidate: { ...about, error: comparison.message } };
    const other = this.#masked(answered, comparison.answer, candidate);
    const { checkResources, planResources } = other;
    return {
      ...entry,
      candidate: {
        ...about,
        changes: [...new Set(comparison.differences.map(({ change }) => change))],
        ...(checkResources !== undefined && { outputs: checkResources.outputs }),
        ...(planResources !== undefined && { output: planResources.output }),
      },
    };
  }

  /** The entry of a call, with another answer if there is one; masked as the audit log is. */
  #masked(answered: Answered, answer: CandidateAnswer | undefined, bundleHash: string): DecisionLogEntry {
    const { mask, includeMetadataKeys, excludeMetadataKeys } = this.options.audit;
    const { commit, buildDate } = release;
    const context = {
      metadata: metadataRules(includeMetadataKeys, excludeMetadataKeys),
      policySource: { embeddedPdp: { commitHash: commit, builtAt: buildDate, bundleHash } },
    };
    const { call, time } = answered;
    if (answered.kind === 'check') {
      const { checked } = answered;
      const decisions = answer?.kind === 'check' ? answer.decisions : checked.decisions;
      return maskEntry(checkEntry(call, { ...checked, decisions }, NO_DETAILS, context, time), mask);
    }
    const { planned } = answered;
    const plan = answer?.kind === 'plan' ? answer.plan : planned.plan;
    return maskEntry(planEntry(call, { ...planned, plan }, NO_DETAILS, context, time), mask);
  }
}

/** The tenants as in the audit log, without the roles that the documents define. */
function auditedTenants(tenants: ComparedTenants): Pick<DecisionLogEntry, 'tenants'> {
  if (tenants === undefined || tenants.size === 0) return {};
  return { tenants: [...tenants].map(([tenant, { digest }]) => ({ tenant, ...(digest !== '' && { digest }) })) };
}

const NO_DETAILS = { evaluationErrors: [], effectivePolicies: {} };
