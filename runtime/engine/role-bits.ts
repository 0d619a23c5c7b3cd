import type { RoleNames } from './rule-shape.js';
import { EVERYONE } from './rule-table.js';

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
