import { openSync } from 'node:fs';
import type { Log } from '../../server/observe/log/logger.js';
import { openLog } from '../../server/observe/log/open-log.js';

/** Lines are written, and nobody reads them. */
export function quietLog(): Log {
  const nowhere = openSync('/dev/null', 'w');
  return openLog({ output: nowhere, errors: nowhere, environment: {} });
}
