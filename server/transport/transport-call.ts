import type { RequestContext } from '../../proto/gen/messages.js';
import type { Call } from '../service/call.js';

/** A call as the transport that serves it keeps it: with what its end is told about it. */
export interface TransportCall extends Call {
  /** Of the request, once it has been read. */
  requestContext: RequestContext | undefined;
}
