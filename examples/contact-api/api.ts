import type { AddressInfo } from 'node:net';
import { openPdp } from './pdp.js';
import { contactApi } from './server.js';
import type { Settings } from './settings.js';
import { ContactStore } from './store.js';
import { bearerTokens } from './token.js';

/** An API that answers. */
export interface RunningApi {
  /** `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Answers what is under way, then gives everything back. */
  readonly close: () => Promise<void>;
}

/** Puts the parts together, and listens on this machine. Rejects when it cannot. */
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
