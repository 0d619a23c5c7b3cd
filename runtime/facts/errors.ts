import type { UnknownFact } from './ask.js';

/** Thrown where a boolean would hide that facts are not available. The message names them and their sources. */
export class FactsUnavailableError extends Error {
  override readonly name = 'FactsUnavailableError';

  constructor(readonly unknown: readonly UnknownFact[]) {
    super(
      `facts are not available: ${unknown
        .map(({ fact, source, reason }) => (source === '' ? reason : `\`${fact}\` from \`${source}\` (${reason})`))
        .join(', ')}`,
    );
  }
}
