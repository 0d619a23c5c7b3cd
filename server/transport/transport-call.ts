import type { RequestContext } from '../../proto/gen/messages.js';
import type { Call } from '../service/call.js';

/** A call in the transport that serves it, with the details that are reported when it ends. */
export interface TransportCall extends Call {
  /** Set once the request has been read. */
  requestContext: RequestContext | undefined;
}
