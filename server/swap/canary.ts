import { hash } from 'node:crypto';

/**
 * Where a principal is between 0 and 1, 1 excluded: the same on all servers and workers. It is the first 8 bytes of the
 * SHA-256 of the rollout id, a NUL and the principal id as a fraction, of which a double holds 53 bits.
 */
function canaryFraction(rolloutId: string, principalId: string): number {
  const digest = Buffer.from(hash('sha256', `${rolloutId}\0${principalId}`, 'hex'), 'hex');
  return (digest.readUInt32BE(0) * 2 ** 21 + (digest.readUInt32BE(4) >>> 11)) / 2 ** 53;
}

/** Whether the candidate decides for a principal, at a percentage from 0 to 100. */
export function isInCanary(rolloutId: string, percent: number, principalId: string): boolean {
  if (percent <= 0) return false;
  return percent >= 100 || canaryFraction(rolloutId, principalId) < percent / 100;
}
