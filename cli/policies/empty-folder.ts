import { visible } from '../../compiler/diagnostics/visible.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';

/** What of a compilation tells whether its folder holds anything. */
interface Compiled {
  readonly sources: readonly Source[];
  readonly program: Program | undefined;
}

/**
 * Whether policies that compile decide nothing: there is no file, or all of them are empty, disabled or only to be
 * imported.
 */
export function decidesNothing({ program }: Compiled): boolean {
  return program?.modules.length === 0;
}

/** What is said of the folder of such policies, without the way out. */
export function emptyText(directory: string, { sources }: Compiled): string {
  return `\`${visible(directory)}\` holds no ${sources.length === 0 ? 'policies' : 'enabled policies'}, so every request would be denied`;
}
