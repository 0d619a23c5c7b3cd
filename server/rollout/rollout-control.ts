import type { Logger } from '../observe/log/logger.js';
import type { BundleText } from '../bundle/read-bundle.js';
import { RolledBackError } from '../bundle/rejected-bundles.js';
import type {
  KnownBundle,
  RolloutCommand,
  RolloutOutcome,
  RolloutStage,
  RolloutStatus,
} from '../service/rollout-command.js';
import type { Rollout } from '../swap/rollout.js';
import { initialRollout, type RolloutChange } from './rollout.js';

/** The options of a rollout. */
export interface RolloutControlOptions {
  /** The bundle that the server started with, and the hash of its policies. */
  readonly current: BundleText;
  readonly hash: string;
  /** How each new candidate begins (`bundle.rollout`). */
  readonly stage: RolloutStage;
  readonly percent: number;
  /** Empty: the hash of the candidate. */
  readonly id: string;
  /**
   * Makes a change in every process or in none, and resolves with the hashes of its bundles, in order. Rejects if one of
   * them cannot be served.
   */
  readonly apply: (change: RolloutChange) => Promise<readonly string[]>;
  /** Another bundle is the current one, in every process. Never rejects. */
  readonly began: (current: KnownBundle) => Promise<void>;
  readonly logger: Logger;
}

/** What a source has bundles for. */
export type BundleRole = 'current' | 'candidate';

/** How many hashes are kept of bundles that were current. */
const MOST_PASSED = 64;

/**
 * Decides which bundles a server has: takes what sources offer, and carries out what the admin asks for, one after the
 * other. It is in the process that reads bundles and keeps none of their texts.
 */
export class RolloutControl {
  #rollout: Rollout;
  #current: KnownBundle;
  #candidate: KnownBundle | undefined;
  #previous: KnownBundle | undefined;
  /** What was rolled back. */
  #refused: KnownBundle | undefined;
  /** Why the last versions of the sources are not used. */
  readonly #problems = new Map<BundleRole, string>();
  #turn: Promise<unknown> = Promise.resolve();

  readonly #options: Omit<RolloutControlOptions, 'current' | 'hash'>;

  constructor({ current, hash, ...options }: RolloutControlOptions) {
    this.#options = options;
    this.#rollout = initialRollout(current);
    this.#current = knownBundle(current, hash);
  }

  /**
   * The source of the current bundle has a version: uses it from now on, and returns the hash of its policies. A version
   * that is the candidate is promoted. Rejects if it cannot be served, or was rolled back.
   */
  offer(text: BundleText): Promise<string> {
    return this.#inTurn(async () => {
      if (text.digest === this.#current.digest) return this.#current.hash;
      if (text.digest === this.#candidate?.digest) {
        await this.#promote(this.#candidate);
        return this.#current.hash;
      }
      this.#refuse(text);
      const rollout = { ...this.#next(), current: text.digest, previous: undefined, passed: this.#passed() };
      const [hash = ''] = await this.#apply({ rollout, texts: [text] });
      this.#previous = undefined;
      this.#refused = undefined;
      await this.#begin(knownBundle(text, hash));
      return hash;
    });
  }

  /**
   * A version of the candidate has come, wherever from. Every candidate begins in the configured stage. Resolves with
   * the hash of its policies; rejects if it cannot be served, or was rolled back.
   */
  offerCandidate(text: BundleText): Promise<string> {
    return this.#inTurn(async () => {
      if (text.digest === this.#candidate?.digest) return this.#candidate.hash;
      const { stage, percent, id } = this.#options;
      if (text.digest === this.#current.digest) {
        // It has arrived by the other source: there is nothing left to try.
        if (this.#candidate !== undefined)
          await this.#apply({ rollout: { ...this.#next(), candidate: undefined }, texts: [] });
        this.#candidate = undefined;
        return this.#current.hash;
      }
      this.#refuse(text);
      const rollout = {
        ...this.#next(),
        candidate: text.digest,
        stage,
        percent: stage === 'canary' ? percent : 0,
        id,
      };
      const [hash = ''] = await this.#apply({ rollout, texts: [text] });
      this.#candidate = knownBundle(text, hash);
      this.#refused = undefined;
      return this.#candidate.hash;
    });
  }

  /** Carries out a request of the admin API. Never rejects for one that cannot be granted. */
  run(command: RolloutCommand): Promise<RolloutOutcome> {
    return this.#inTurn(async (): Promise<RolloutOutcome> => {
      const problem = await this.#carryOut(command);
      return problem === undefined ? { kind: 'done', status: this.#status() } : { kind: 'refused', reason: problem };
    });
  }

  /** The latest version of a source is not used, for this reason; undefined: it is. */
  tell(role: BundleRole, problem: Error | undefined): void {
    if (problem === undefined) this.#problems.delete(role);
    else this.#problems.set(role, problem.message);
  }

  async #carryOut(command: RolloutCommand): Promise<string | undefined> {
    const candidate = this.#candidate;
    switch (command.kind) {
      case 'get':
        return undefined;
      case 'set': {
        if (candidate === undefined) return NO_CANDIDATE;
        const { stage, percent } = command;
        await this.#apply({ rollout: { ...this.#next(), stage, percent }, texts: [] });
        this.#options.logger.info('the rollout stage changed', { hash: candidate.hash, stage, percent });
        return undefined;
      }
      case 'promote':
        if (candidate === undefined) return NO_CANDIDATE;
        if (isOther(command.hash, candidate)) return otherBundle('the candidate', candidate, command.hash);
        await this.#promote(candidate);
        this.#options.logger.info('the candidate was promoted', { hash: candidate.hash });
        return undefined;
      case 'rollBack':
        return this.#rollBack(command.hash);
    }
  }

  async #promote(candidate: KnownBundle): Promise<void> {
    const rollout = {
      ...this.#next(),
      current: candidate.digest,
      candidate: undefined,
      previous: this.#current.digest,
      passed: this.#passed(),
    };
    await this.#apply({ rollout, texts: [] });
    this.#previous = this.#current;
    this.#candidate = undefined;
    await this.#begin(candidate);
  }

  async #rollBack(hash: string): Promise<string | undefined> {
    const [candidate, previous, current] = [this.#candidate, this.#previous, this.#current];
    if (candidate !== undefined) {
      if (isOther(hash, candidate)) return otherBundle('the candidate', candidate, hash);
      await this.#apply({ rollout: { ...this.#next(), candidate: undefined }, texts: [] });
      this.#candidate = undefined;
      this.#refused = candidate;
      this.#options.logger.info('the candidate was rolled back', { hash: candidate.hash });
      return undefined;
    }
    if (previous === undefined) return 'there is nothing to roll back: no candidate and no promoted bundle';
    if (isOther(hash, current)) return otherBundle('the current bundle', current, hash);
    const passed = this.#rollout.passed.slice(0, -1);
    await this.#apply({
      rollout: { ...this.#next(), current: previous.digest, previous: undefined, passed },
      texts: [],
    });
    this.#previous = undefined;
    this.#refused = current;
    await this.#begin(previous);
    this.#options.logger.info('the promoted bundle was rolled back', { hash: current.hash, to: previous.hash });
    return undefined;
  }

  #status(): RolloutStatus {
    const { stage, percent, id } = this.#rollout;
    const candidate = this.#candidate;
    return {
      current: this.#current,
      candidate,
      previous: this.#previous,
      stage,
      percent,
      id: candidate === undefined ? '' : id || candidate.hash,
      refusedHash: this.#refused?.hash ?? '',
      lastError: [...this.#problems].map(([role, problem]) => `${role}: ${problem}`).join('; '),
    };
  }

  async #begin(current: KnownBundle): Promise<void> {
    this.#current = current;
    await this.#options.began(current);
  }

  async #apply(change: RolloutChange): Promise<readonly string[]> {
    const hashes = await this.#options.apply(change);
    this.#rollout = change.rollout;
    return hashes;
  }

  /** Versions are never used twice, not even after a change that was refused. */
  #next(): Rollout {
    this.#rollout = { ...this.#rollout, version: this.#rollout.version + 1 };
    return this.#rollout;
  }

  #passed(): readonly string[] {
    return [...this.#rollout.passed, this.#current.hash].slice(-MOST_PASSED);
  }

  #refuse({ digest }: BundleText): void {
    if (digest === this.#refused?.digest)
      throw new RolledBackError(
        `bundle \`${this.#refused.hash}\` was rolled back: it is refused until another one arrives`,
      );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

const NO_CANDIDATE = 'there is no candidate: set `bundle.rollout.candidate`';

function knownBundle({ text: _, ...bundle }: BundleText, hash: string): KnownBundle {
  return { ...bundle, hash, loadedAt: Date.now() };
}

function isOther(hash: string, bundle: KnownBundle): boolean {
  return hash !== '' && hash !== bundle.hash;
}

function otherBundle(what: string, { hash }: KnownBundle, asked: string): string {
  return `${what} is \`${hash}\`, not \`${asked}\``;
}
