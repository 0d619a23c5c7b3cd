import { readSources } from '../../../server/config.js';
import { ConfigError } from '../../../server/config/config-error.js';
import { listProviders } from '../../../server/facts/provided.js';
import { readSourceTables } from '../../../server/facts/source-tables.js';
import type { FactProvider } from '../../../runtime/facts/unprovided.js';
import type { CommandContext } from '../context.js';
import { InputError } from '../report.js';
import { readText } from './request-files.js';

/**
 * What provides facts by a configuration of the server: its sources, and callers, as `sources.sent` says. Throws an InputError.
 */
export function readProviders(file: string, context: CommandContext): readonly FactProvider[] {
  const text = readText(file, context);
  try {
    const sources = readSources(text, file);
    return listProviders(sources, readSourceTables(sources.from));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new InputError(error.problem, undefined, [], error.place);
  }
}
