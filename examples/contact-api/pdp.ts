import { type ActionOf, type AuthzClient, connectClient, inProcessClient, restClient } from 'authz/client';
import { grpcClient } from 'authz/client/grpc';
import { policies } from './generated/index.js';
import type { Policies } from './generated/types.js';
import type { PdpSettings } from './settings.js';

/**
 * The source of decisions. `Policies` are the types that `authzc compile` generated: a kind, an action or an attribute
 * that the policies do not have is a type error, whichever transport is used.
 */
export type Pdp = AuthzClient<Policies>;

/** `'list' | 'read' | ...`: the actions on contacts. */
export type ContactAction = ActionOf<Policies, 'contact'>;

/** Milliseconds; a question without an answer by then is answered with 503. */
const TIMEOUT = 2000;

/** The only place that knows how decisions are made. */
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
