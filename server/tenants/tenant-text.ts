import { createHash } from 'node:crypto';
import type { TenantDocument } from '../../runtime/engine/index.js';
import { valueOfYaml, YamlDepthError } from '../../packages/yaml-input/index.js';
import type { LoadedTenant } from '../service/call.js';

/** The SHA-256 of the text of a document, in hexadecimal. */
export function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Reads the text of a document, JSON or YAML. What it says is proved later. */
export function readTenantText(text: string): LoadedTenant | { readonly reason: string } {
  try {
    const written = text.replace(/^\ufeff/, '');
    const value: unknown = /^\s*\{/.test(written) ? JSON.parse(written) : valueOfYaml(written);
    if (typeof value === 'object' && value !== null)
      return { document: value as TenantDocument, digest: computeDigest(text) };
    return { reason: 'the document must be an object' };
  } catch (error) {
    if (error instanceof YamlDepthError) return { reason: `the document is ${error.message}` };
    const [line = ''] = (error as Error).message.split('\n');
    return { reason: `the document is neither JSON nor YAML: ${line}` };
  }
}
