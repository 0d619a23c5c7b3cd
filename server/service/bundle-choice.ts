import type { Call } from './call.js';
import type { Decider, DecidingBundle } from './decider.js';
import { refused } from './rpc-error.js';

/** The oldest bundle by which a caller accepts a decision: one with this hash, or one with at least this sequence. */
export type MinBundle =
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'sequence'; readonly sequence: number };

/** The bundles of a server, of which each call uses one (docs/rollout.md). */
export interface BundleChoice {
  /** The bundle that decides for all of these principals. */
  readonly choose: (principals: readonly Named[]) => DecidingBundle;
  /** Whether it depends on the principals which bundle that is. */
  readonly isSplit: () => boolean;
  /** Whether a bundle is the demanded one or came after it. */
  readonly satisfies: (bundle: DecidingBundle, minimum: MinBundle) => boolean;
  /**
   * Resolves with the bundle that decides for these principals as soon as it satisfies the minimum. Rejects with an
   * RpcError when it does not within `bundle.minWait`, or when too many calls wait.
   */
  readonly whenSatisfied: (principals: readonly Named[], minimum: MinBundle) => Promise<DecidingBundle>;
}

/** A principal, by whose id a canary chooses. */
export interface Named {
  readonly id: string;
}

/** The header, in gRPC the metadata, that demands a bundle. */
export const MIN_BUNDLE = 'authz-min-bundle';

/**
 * Chooses the bundle of a call: at once, which returns undefined, unless the call demands a bundle that the server does
 * not have yet. Throws, or rejects with, an RpcError for a malformed demand and for one that is not met in time.
 */
export function chooseBundle(bundles: BundleChoice, call: Call, principals: readonly Named[]): Waiting {
  const demanded = call.header(MIN_BUNDLE);
  const bundle = bundles.choose(principals);
  if (demanded !== undefined) {
    const minimum = parseMinBundle(demanded);
    if (!bundles.satisfies(bundle, minimum))
      return bundles.whenSatisfied(principals, minimum).then((reached) => {
        call.bundle = reached;
      });
  }
  call.bundle = bundle;
  return undefined;
}

/** A call that has to wait before it can be decided; undefined if it can be decided at once. */
export type Waiting = Promise<void> | undefined;

/** What decides a call: its bundle, or the stand-in of a test. */
export function chooseDecider(service: { readonly decider: Decider }, { bundle }: Call): Decider {
  return bundle?.decider ?? service.decider;
}

/** Throws an RpcError for a malformed value. */
function parseMinBundle(demanded: string): MinBundle {
  const [, sequence] = /^sequence:(\d{1,15})$/.exec(demanded) ?? [];
  if (sequence !== undefined) return { kind: 'sequence', sequence: Number(sequence) };
  if (/^[0-9A-Za-z_-]{1,128}$/.test(demanded)) return { kind: 'hash', hash: demanded };
  throw refused(`\`${MIN_BUNDLE}\` must be the hash of a bundle, or \`sequence:\` and a number`);
}
