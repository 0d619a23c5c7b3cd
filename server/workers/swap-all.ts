import type { BundleText } from '../bundle/read-bundle.js';
import type { Member } from './fleet.js';

/** The result of distributing a bundle to all workers. */
export type SwapResult =
  | { readonly kind: 'swapped'; readonly hash: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** How long a worker may take to load a bundle and try it, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Swaps the bundle in all workers or in none: each prepares it, and only if all succeed does each commit it. A worker
 * that exits meanwhile does not count; its replacement starts with the current bundle.
 */
export async function swapAll(members: readonly Member[], bundle: BundleText): Promise<SwapResult> {
  const outcomes = await Promise.all(members.map((member) => prepare(member, bundle)));
  const refusal = outcomes.find((outcome) => outcome.refusal !== undefined)?.refusal;
  const prepared = outcomes.filter(({ hash }) => hash !== undefined);
  if (refusal !== undefined) {
    await Promise.allSettled(prepared.map(({ member: { link } }) => link.ask('abort', bundle.digest, PATIENCE)));
    return { kind: 'refused', reason: refusal };
  }
  await Promise.all(prepared.map(({ member }) => commit(member, bundle.digest)));
  return { kind: 'swapped', hash: prepared[0]?.hash ?? '' };
}

interface Outcome {
  readonly member: Member;
  /** The hash of the policies; undefined if the worker did not prepare them. */
  readonly hash: string | undefined;
  readonly refusal: string | undefined;
}

async function prepare(member: Member, bundle: BundleText): Promise<Outcome> {
  try {
    return { member, hash: await member.link.ask('prepare', bundle, PATIENCE), refusal: undefined };
  } catch (error) {
    return { member, hash: undefined, refusal: member.link.isOpen ? (error as Error).message : undefined };
  }
}

/** A worker that fails to commit would decide by other policies than the rest: it is killed, and replaced. */
async function commit(member: Member, digest: string): Promise<void> {
  try {
    await member.link.ask('commit', digest, PATIENCE);
  } catch {
    member.kill();
  }
}
