import type { AddressInfo } from 'node:net';
import { openPdp } from './pdp.js';
import { contactApi } from './server.js';
import type { Settings } from './settings.js';
import { ContactStore } from './store.js';
import { bearerTokens } from './token.js';

/** A running API. */
export interface RunningApi {
  /** `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Completes pending requests, then closes the server, the store and the connection to the PDP. */
  readonly close: () => Promise<void>;
}

/** Creates the parts and listens on loopback. Rejects when it cannot. */
export async function startApi({ secret, port, database, pdp: where }: Settings): Promise<RunningApi> {
  const store = new ContactStore(database);
  const pdp = openPdp(where);
  const app = contactApi({ store, pdp, authenticate: bearerTokens(secret) });
  const close = async (): Promise<void> => {
    await app.close();
    await pdp.close();
    store.close();
  };
  try {
    await app.listen({ host: '127.0.0.1', port });
  } catch (error) {
    await close();
    throw error;
  }
  const { port: taken } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}`, close };
}
