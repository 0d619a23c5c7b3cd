import { createHash } from 'node:crypto';
import { quotedPart } from '../sql-names.js';

/** Every role of the database, or one by its name. */
export function roleName(role: string): string {
  return role === 'PUBLIC' ? role : quotedPart(role);
}

/** Twelve digits of SHA-256, which tell whether something is still what was made. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
