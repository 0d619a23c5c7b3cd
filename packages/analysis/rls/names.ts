import { createHash } from 'node:crypto';

/** A name of a column, a role or a schema, quoted. */
export function quotedPart(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name with its schema, quoted. */
export function quotedName(name: string): string {
  return name.split('.').map(quotedPart).join('.');
}

/** Every role of the database, or one by its name. */
export function roleName(role: string): string {
  return role === 'PUBLIC' ? role : quotedPart(role);
}

/** Twelve digits of SHA-256, which tell whether something is still what was made. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
