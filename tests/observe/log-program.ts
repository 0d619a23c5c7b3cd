import { debugOnSignal } from '../../server/observe/log/debug-signal.js';
import { openLog } from '../../server/observe/log/open-log.js';

/**
 * A process that logs and ends as its first argument says. The behaviour of the log at the end of a process is visible
 * only from outside.
 */
const log = openLog();
const logger = log.logger('authz.test');
logger.debug('a debug line');
logger.info('an info line', { count: 1, 'authz.call_id': 'ID' });
logger.warn('a warning', { error: new Error('reason') });
logger.error('an error');

switch (process.argv[2]) {
  case 'exit':
    process.exit(3);
    break;
  case 'fatal':
    setImmediate(() => {
      throw new Error('fatal');
    });
    break;
  case 'signal': {
    debugOnSignal(log);
    process.on('SIGUSR1', () => {
      logger.debug('a debug line after the signal');
      setTimeout(() => {
        logger.debug('a debug line too late');
        process.exit(0);
      }, 200);
    });
    process.kill(process.pid, 'SIGUSR1');
    setTimeout(() => {}, 5000);
    break;
  }
  default:
    break;
}
