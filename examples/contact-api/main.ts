import { startApi } from './api.js';
import { endOnSignal } from './end-on-signal.js';
import { settingsOf } from './settings.js';

/** Runs the API alone. `npx authzc serve policies` runs the PDP; with AUTHZ_PDP=in-process none is needed. */
try {
  const api = await startApi(settingsOf(process.env));
  endOnSignal(api.close);
  console.log(`contacts: ${api.url}/contacts`);
} catch (error) {
  console.error(`contacts: ${(error as Error).message}`);
  process.exitCode = 1;
}
