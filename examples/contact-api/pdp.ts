import { type ActionOf, type AuthzClient, connectClient, inProcessClient, restClient } from 'authz/client';
import { grpcClient } from 'authz/client/grpc';
import { policies } from './generated/index.js';
import type { Policies } from './generated/types.js';
import type { PdpSettings } from './settings.js';

/**
 * Whoever decides. `Policies` are the types that `authzc compile` made of the policies: a kind, an action or an
 * attribute that they do not know does not compile, whichever way the question goes.
 */
export type Pdp = AuthzClient<Policies>;

/** `'list' | 'read' | ...`: what the policies decide about contacts. */
export type ContactAction = ActionOf<Policies, 'contact'>;

/** Milliseconds; a question without an answer by then is answered with 503. */
const TIMEOUT = 2000;

/** The one place that knows how decisions are reached. */
export function openPdp(settings: PdpSettings): Pdp {
  const timeout = TIMEOUT;
  switch (settings.transport) {
    case 'in-process':
      return inProcessClient<Policies>(policies, { timeout });
    case 'rest':
      return restClient<Policies>({ url: settings.address, timeout });
    case 'connect':
      return connectClient<Policies>({ url: settings.address, timeout });
    case 'grpc':
      return grpcClient<Policies>({ address: settings.address, timeout });
  }
}
