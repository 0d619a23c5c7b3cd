import type { ResourceChain } from './chains.js';
import { entryOf, EVERYONE, type RoleNames } from './tables.js';

/**
 * The bits by which rules know roles. Remembers the last answer: one role asks policies that name the same roles about
 * action after action, resource after resource.
 */
export class RoleBits {
  private names: RoleNames | undefined = undefined;
  private role = '';
  private bits = 0;

  /** Of a role, ancestors aside. */
  ofRole(names: RoleNames, role: string): number {
    if (names === this.names && role === this.role) return this.bits;
    this.names = names;
    this.role = role;
    this.bits = EVERYONE | bitsOf(names, role);
    return this.bits;
  }
}

/** The bits of a role and its ancestors together. */
export function lineageBits(names: RoleNames, lineage: readonly string[]): number {
  let bits = EVERYONE;
  for (const role of lineage) bits |= bitsOf(names, role);
  return bits;
}

function bitsOf(names: RoleNames, role: string): number {
  return names.roles.get(role) ?? globBits(names, role);
}

function globBits(names: RoleNames, role: string): number {
  const globs = names.roleGlobs;
  let bits = 0;
  for (let i = 0; i < globs.length; i++) {
    const glob = globs[i] as (typeof globs)[number];
    if (glob.matches(role)) bits |= glob.bits;
  }
  return bits;
}

/**
 * The roles of a request by how a chain judges them: roles of one class are told apart by none of its scopes. So the
 * cost of a decision depends on what policies name, not on how many roles the caller sends.
 */
export interface RoleClasses {
  /** The first role of each class, in the order of the request. */
  readonly first: readonly string[];
  /** The class of each role. */
  readonly of: Uint32Array;
  /** The first two roles of each class, in the order of the request. */
  readonly firstTwo: readonly number[];
  /** The classes in the order of their last roles. */
  readonly byLast: readonly number[];
}

/** With no more roles than this, finding their classes would cost more than it saves. */
export const FEW_ROLES = 8;

/** The classes of some roles. */
export function roleClasses(
  roles: readonly string[],
  chain: ResourceChain,
  lineages: ReadonlyMap<string, readonly string[]> | undefined,
): RoleClasses {
  const classes = new Map<string, number>();
  const first: string[] = [];
  const counts: number[] = [];
  const last: number[] = [];
  const firstTwo: number[] = [];
  const of = new Uint32Array(roles.length);
  for (let position = 0; position < roles.length; position++) {
    const role = roles[position] as string;
    const text = lineages?.has(role) ? `=${role}` : classText(role, chain);
    const number = entryOf(classes, text, () => first.push(role) - 1);
    of[position] = number;
    last[number] = position;
    counts[number] = (counts[number] ?? 0) + 1;
    if ((counts[number] as number) <= 2) firstTwo.push(position);
  }
  const byLast = [...first.keys()].sort((a, b) => (last[a] as number) - (last[b] as number));
  return { first, of, firstTwo, byLast };
}

/**
 * A role that a policy names in a way bits cannot tell is a class of its own: its text, which cannot be mistaken for
 * bits.
 */
function classText(role: string, chain: ResourceChain): string {
  let text = ' ';
  for (let step = chain.first; step !== undefined; step = step.parent) {
    if (step.limits?.byRole.has(role)) return `=${role}`;
    if (step.table === undefined) continue;
    const { shape } = step.table;
    text += `${lineageBits(shape, [role])},`;
    if (!shape.crowded) continue;
    if (shape.roles.has(role)) return `=${role}`;
    for (const { matches } of shape.roleGlobs) text += matches(role) ? 1 : 0;
  }
  return text;
}
