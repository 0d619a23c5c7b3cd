import type { Source } from '../../../compiler/diagnostics/source.js';
import { visible } from '../../../compiler/diagnostics/visible.js';

/** The message about a folder that decides nothing, without the fix. */
export function emptyText(directory: string, { sources }: { readonly sources: readonly Source[] }): string {
  const missing = sources.length === 0 ? 'policies' : 'enabled policies';
  return `\`${visible(directory)}\` holds no ${missing}, so every request would be denied`;
}
