import type { AuxData } from '../../../proto/messages.js';
import type { Logger } from './logger.js';

/** A verifier of tokens that also says in the log why a token is refused: the caller is never told (server.md 3.5). */
export function loggingRefusals<Claims>(verify: (auxData: AuxData) => Promise<Claims>, logger: Logger): (auxData: AuxData) => Promise<Claims> {
  return async (auxData) => {
    try {
      return await verify(auxData);
    } catch (error) {
      logger.info('Token refused', { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  };
}
