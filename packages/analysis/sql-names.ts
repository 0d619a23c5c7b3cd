/** A name of a column, a role or a schema, quoted. */
export function quotedPart(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name with its schema, quoted. */
export function quotedName(name: string): string {
  return name.split('.').map(quotedPart).join('.');
}
