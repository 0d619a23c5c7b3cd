import { startApi } from './api.js';
import { endOnSignal } from './end-on-signal.js';
import { settingsOf } from './settings.js';

/** The API alone: `npx authzc serve policies` runs the decision point, or AUTHZ_PDP=in-process does without one. */
try {
  const api = await startApi(settingsOf(process.env));
  endOnSignal(api.close);
  console.log(`contacts: ${api.url}/contacts`);
} catch (error) {
  console.error(`contacts: ${(error as Error).message}`);
  process.exitCode = 1;
}
