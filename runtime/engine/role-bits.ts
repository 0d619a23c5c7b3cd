import type { ResourcePolicy } from '../policy/index.js';
import { EVERYONE } from './rule-table.js';

/**
 * The bits by which the rules of a policy know roles. Remembers the last answer: one role asks one policy about action after action,
 * resource after resource.
 */
export class RoleBits {
  private policy: ResourcePolicy | undefined = undefined;
  private role = '';
  private bits = 0;

  /** Of a role, ancestors aside. */
  ofRole(policy: ResourcePolicy, role: string): number {
    if (policy === this.policy && role === this.role) return this.bits;
    this.policy = policy;
    this.role = role;
    this.bits = EVERYONE | bitsOf(policy, role);
    return this.bits;
  }

  /** Of a role and its ancestors together. */
  ofLineage(policy: ResourcePolicy, lineage: readonly string[]): number {
    return lineageBits(policy, lineage);
  }
}

/** The bits of a role and its ancestors in a policy. */
export function lineageBits(policy: ResourcePolicy, lineage: readonly string[]): number {
  let bits = EVERYONE;
  for (const role of lineage) bits |= bitsOf(policy, role);
  return bits;
}

function bitsOf(policy: ResourcePolicy, role: string): number {
  return policy.roles.get(role) ?? globBits(policy, role);
}

function globBits(policy: ResourcePolicy, role: string): number {
  const globs = policy.roleGlobs;
  let bits = 0;
  for (let i = 0; i < globs.length; i++) {
    const glob = globs[i] as (typeof globs)[number];
    if (glob.matches(role)) bits |= glob.bits;
  }
  return bits;
}
