import type { AuxData } from '../../../proto/messages.js';
import type { TokenTime } from '../../service/call-times.js';
import type { Logger } from './logger.js';

/** A verifier of tokens that also says in the log why a token is refused: the caller is never told (server.md 3.5). */
export function loggingRefusals<Claims>(verify: Verify<Claims>, logger: Logger): Verify<Claims> {
  return async (auxData, times) => {
    try {
      return await verify(auxData, times);
    } catch (error) {
      logger.info('Token refused', { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  };
}

type Verify<Claims> = (auxData: AuxData, times?: TokenTime[]) => Promise<Claims>;
