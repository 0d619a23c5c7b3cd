import { isInCanary } from './canary.js';
import type { Rollout } from './rollout.js';
import type { BundleChoice, MinBundle, Named } from '../service/bundle-choice.js';
import type { DecidingBundle } from '../service/decider.js';
import type { Call } from '../service/call.js';
import { NONE } from '../../proto/wire/violation.js';
import { RpcError } from '../service/rpc-error.js';
import type { ServingEngine } from './serving-engine.js';

/** How many calls of one process may wait for a bundle. */
const MOST_WAITING = 1000;

/** The bundles that one process has, and which of them decides a call. */
export class ServedBundles implements BundleChoice {
  #current: ServingEngine;
  #candidate: ServingEngine | undefined;
  #previous: ServingEngine | undefined;
  #rollout: Rollout | undefined;
  /** Called after each change. */
  readonly #waiting = new Set<() => void>();

  /** `minWait`: how long a call waits for the bundle that it demands, in milliseconds. */
  constructor(
    current: ServingEngine,
    private readonly minWait: number,
  ) {
    this.#current = current;
  }

  get current(): ServingEngine {
    return this.#current;
  }

  /** The candidate, whatever the stage. */
  get candidate(): ServingEngine | undefined {
    return this.#candidate;
  }

  /** Undefined until there was a change. */
  get rollout(): Rollout | undefined {
    return this.#rollout;
  }

  /** The bundle with this digest; undefined if there is none. */
  find(digest: string): ServingEngine | undefined {
    return [this.#current, this.#candidate, this.#previous].find((known) => known?.digest === digest);
  }

  /** Changes all at once: the next call uses the new bundles. `engines` has those that the rollout names. */
  change(rollout: Rollout, engines: ReadonlyMap<string, ServingEngine>): void {
    const named = (digest: string | undefined): ServingEngine | undefined =>
      digest === undefined ? undefined : (engines.get(digest) ?? this.find(digest));
    const current = named(rollout.current);
    if (current === undefined) throw new Error('the current bundle is unknown');
    const candidate = named(rollout.candidate);
    const previous = named(rollout.previous);
    this.#rollout = rollout;
    this.#current = current;
    this.#candidate = candidate;
    this.#previous = previous;
    this.#notify();
  }

  /** Replaces the only bundle. */
  swap(current: ServingEngine): void {
    this.#current = current;
    this.#notify();
  }

  choose(principals: readonly Named[]): ServingEngine {
    const candidate = this.#candidate;
    const rollout = this.#rollout;
    if (candidate === undefined || rollout?.stage !== 'canary' || principals.length === 0) return this.#current;
    const id = rollout.id || candidate.hash;
    // A call about several principals must not show the candidate to one outside of the canary.
    return principals.every((principal) => isInCanary(id, rollout.percent, principal.id)) ? candidate : this.#current;
  }

  isSplit(): boolean {
    return this.#candidate !== undefined && this.#rollout?.stage === 'canary';
  }

  /** What decided a call, or would decide one now. */
  of({ bundle }: Pick<Call, 'bundle'>): ServingEngine {
    // Every bundle of a call was returned by `choose`.
    return (bundle as ServingEngine | undefined) ?? this.#current;
  }

  satisfies(bundle: DecidingBundle, minimum: MinBundle): boolean {
    const { hash, sequence } = bundle as ServingEngine;
    if (minimum.kind === 'sequence') return sequence !== undefined && sequence >= minimum.sequence;
    if (hash === minimum.hash || this.#rollout?.passed.includes(minimum.hash)) return true;
    // A candidate comes after the current bundle.
    return bundle === this.#candidate && this.#current.hash === minimum.hash;
  }

  whenSatisfied(principals: readonly Named[], minimum: MinBundle): Promise<DecidingBundle> {
    if (this.#waiting.size >= MOST_WAITING)
      return Promise.reject(new RpcError('resource_exhausted', 'too many calls wait for a bundle'));
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const bundle = this.choose(principals);
        if (!this.satisfies(bundle, minimum)) return;
        settle();
        resolve(bundle);
      };
      const timer = setTimeout(() => {
        settle();
        reject(unsatisfied(minimum, this.choose(principals)));
      }, this.minWait);
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
    });
  }

  #notify(): void {
    for (const look of [...this.#waiting]) look();
  }
}

const PRECONDITION_FAILED = 412;

function unsatisfied(minimum: MinBundle, { hash, sequence }: ServingEngine): RpcError {
  const [demanded, served] =
    minimum.kind === 'hash'
      ? [minimum.hash, hash]
      : [
          `sequence:${minimum.sequence}`,
          sequence === undefined ? 'a bundle without a sequence' : `sequence:${sequence}`,
        ];
  const message = `the server does not have the demanded bundle yet: \`${demanded}\` is demanded, \`${served}\` decides`;
  return new RpcError('failed_precondition', message, NONE, PRECONDITION_FAILED);
}
