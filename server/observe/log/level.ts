import { ConfigError } from '../../config/config-error.js';
import type { Environment } from '../../config/substitute.js';
import { LOG_LEVELS, type LogLevel } from './logger.js';

/** The variable that overrides the option (docs/spec/server.md#logs). */
const LOG_LEVEL_VARIABLE = 'AUTHZ_LOG_LEVEL';

/**
 * The level of a process: the variable, else the option, else `info`; in any case. Throws a ConfigError for what is no
 * level.
 */
export function logLevelOf(option: string | undefined, environment: Environment): LogLevel {
  const variable = environment[LOG_LEVEL_VARIABLE];
  if (variable !== undefined && variable !== '') return levelNamed(variable, LOG_LEVEL_VARIABLE);
  return option === undefined ? 'info' : levelNamed(option, '--log-level');
}

function levelNamed(text: string, place: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text.toLowerCase());
  if (level === undefined) throw new ConfigError(`\`${text}\` is no log level; use ${LOG_LEVELS.join(', ')}`, place);
  return level;
}
