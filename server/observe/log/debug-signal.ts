import { LONGEST_TIMER } from '../../backoff.js';
import { ConfigError } from '../../config/config-error.js';
import { parseDuration } from '../../config/duration.js';
import type { Environment } from '../../config/substitute.js';
import type { Log } from './logger.js';

/** How long SIGUSR1 makes the log talkative (docs/spec/server.md#logs); ten minutes when it is not set. */
const DEBUG_DURATION_VARIABLE = 'AUTHZ_TEMP_LOG_LEVEL_DURATION';

/**
 * Makes SIGUSR1 switch the log to debug for a while. A primary process forwards the signal to its workers. Returns a
 * function that removes the handler. Throws a ConfigError for an invalid duration.
 */
export function debugOnSignal(log: Log, environment: Environment = process.env): () => void {
  const text = environment[DEBUG_DURATION_VARIABLE] || '10m';
  const duration = parseDuration(text);
  if (duration === undefined || duration <= 0 || duration > LONGEST_TIMER)
    throw new ConfigError(`\`${text}\` must be a duration such as \`10m\` or \`30s\``, DEBUG_DURATION_VARIABLE);
  const onSignal = (): void => {
    log.debugFor(duration);
    log.logger('authz.log').info('debug logging enabled temporarily', { duration: text });
  };
  process.on('SIGUSR1', onSignal);
  return () => void process.off('SIGUSR1', onSignal);
}
