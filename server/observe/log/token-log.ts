import type { AuxData } from '../../../proto/messages.js';
import type { TokenTime } from '../../service/call-times.js';
import type { Logger } from './logger.js';

/**
 * A verifier of tokens that also says in the log why a token is refused: the caller is never told
 * (docs/spec/server.md#refused-tokens).
 */
export function loggingRefusals<Claims>(verify: Verify<Claims>, logger: Logger): Verify<Claims> {
  return async (auxData, times, callId) => {
    try {
      return await verify(auxData, times, callId);
    } catch (error) {
      logger.info('Token refused', {
        'authz.call_id': callId,
        error: error instanceof Error ? error.message : String(error),
      });
      throw error;
    }
  };
}

type Verify<Claims> = (auxData: AuxData, times?: TokenTime[], callId?: string) => Promise<Claims>;
