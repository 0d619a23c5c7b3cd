import type { Watcher } from '../../service/watcher.js';
import type { Logger } from './logger.js';
import { redacted } from './redacted.js';

/**
 * Writes what was asked and what was decided (`server.logRequestPayloads`), without tokens: whoever reads a log must
 * not be able to act as a caller.
 */
export function payloadLog(logger: Logger): Watcher {
  return {
    checked: (call, { requestId, principal, resources, decisions, auxData, requestContext }) => {
      if (!logger.writes('info')) return;
      const request = { requestId, principal, resources, auxData, requestContext };
      logger.info('Checked', { 'authz.call_id': call.id, request: redacted(request), response: redacted(decisions) });
    },
    planned: (call, { request, plan, auxData }) => {
      if (!logger.writes('info')) return;
      // Claims take the place of the tokens.
      logger.info('Planned', {
        'authz.call_id': call.id,
        request: redacted({ ...request, auxData }),
        response: redacted(plan),
      });
    },
  };
}
