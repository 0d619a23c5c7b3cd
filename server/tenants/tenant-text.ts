import { parse } from 'yaml';

/** Reads the text of a document, JSON or YAML. What it says is proved later. */
export function parseTenantText(text: string): { readonly value: unknown } | { readonly reason: string } {
  try {
    const value: unknown = /^\s*\{/.test(text)
      ? JSON.parse(text)
      : parse(text, { maxAliasCount: 0, logLevel: 'error' });
    if (typeof value === 'object' && value !== null) return { value };
    return { reason: 'the document must be an object' };
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    return { reason: `the document is neither JSON nor YAML: ${line}` };
  }
}
