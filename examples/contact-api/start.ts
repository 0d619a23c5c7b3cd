import { randomBytes } from 'node:crypto';
import { type RunningApi, startApi } from './api.js';
import { walk } from './curl.js';
import { endOnSignal } from './end-on-signal.js';
import { type PdpProcess, startPdp } from './pdp-process.js';
import { type Settings, settingsOf } from './settings.js';

/** `npm run example`: starts a PDP and the API with a temporary secret, and prints requests to try. */
const settings = settingsOf({ CONTACTS_SECRET: randomBytes(32).toString('hex'), ...process.env });
let pdp: PdpProcess | undefined;
let api: RunningApi | undefined;
const close = async (): Promise<void> => {
  await api?.close();
  await pdp?.close();
};
endOnSignal(close);
try {
  if (settings.pdp.transport !== 'in-process') {
    pdp = await startPdp({
      http: process.env['PDP_HTTP'] ?? '127.0.0.1:3592',
      grpc: process.env['PDP_GRPC'] ?? '127.0.0.1:3593',
    });
  }
  api = await startApi(withAddressOf(settings, pdp));
  console.log(await walk(api.url, settings));
} catch (error) {
  console.error(`contacts: ${(error as Error).message}`);
  await close();
  process.exitCode = 1;
}

/** The settings, with the address of the PDP that was just started. */
function withAddressOf(settings: Settings, pdp: PdpProcess | undefined): Settings {
  if (pdp === undefined || settings.pdp.transport === 'in-process') return settings;
  const { transport } = settings.pdp;
  return { ...settings, pdp: { transport, address: transport === 'grpc' ? pdp.grpcAddress : pdp.url } };
}
