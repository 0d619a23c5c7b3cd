import type { RolloutChange } from '../rollout/rollout.js';
import type { Member } from './fleet.js';

/** The result of distributing a change to all workers. */
export type SwapResult =
  /** The hashes of the bundles of the change, in order; empty if no worker was left to prepare it. */
  | { readonly kind: 'swapped'; readonly hashes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** How long a worker may take to load bundles and try them, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Makes a change in all workers or in none: each prepares it, and only if all succeed does each commit it. A worker
 * that exits meanwhile does not count; its replacement starts with the current bundles.
 */
export async function swapAll(members: readonly Member[], change: RolloutChange): Promise<SwapResult> {
  const { version } = change.rollout;
  const outcomes = await Promise.all(members.map((member) => prepare(member, change)));
  const refusal = outcomes.find((outcome) => outcome.refusal !== undefined)?.refusal;
  const prepared = outcomes.filter(({ hashes }) => hashes !== undefined);
  if (refusal !== undefined) {
    await Promise.allSettled(prepared.map(({ member: { link } }) => link.ask('abort', version, PATIENCE)));
    return { kind: 'refused', reason: refusal };
  }
  await Promise.all(prepared.map(({ member }) => commit(member, version)));
  return { kind: 'swapped', hashes: prepared[0]?.hashes ?? [] };
}

interface Outcome {
  readonly member: Member;
  /** The hashes of the policies; undefined if the worker did not prepare them. */
  readonly hashes: readonly string[] | undefined;
  readonly refusal: string | undefined;
}

async function prepare(member: Member, change: RolloutChange): Promise<Outcome> {
  try {
    return { member, hashes: await member.link.ask('prepare', change, PATIENCE), refusal: undefined };
  } catch (error) {
    return { member, hashes: undefined, refusal: member.link.isOpen ? (error as Error).message : undefined };
  }
}

/** A worker that fails to commit would decide by other policies than the rest: it is killed, and replaced. */
async function commit(member: Member, version: number): Promise<void> {
  try {
    await member.link.ask('commit', version, PATIENCE);
    member.version = version;
  } catch {
    member.kill();
  }
}
