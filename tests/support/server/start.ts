import { type Config, loadConfig } from '../../../server/config.js';
import type { ListeningServer } from '../../../server/main.js';
import { openServer } from '../../../server/open-server.js';
import type { Decider } from '../../../server/service/decider.js';
import type { Watcher } from '../../../server/service/watcher.js';
import { patienceFor } from '../timeout.js';
import { fakeDecider } from './fake-decider.js';

/**
 * Half the time that a server waits for busy connections, in milliseconds: a server that closes faster has waited for
 * none.
 */
export const DELAYED = 15_000;

/** Closes a server, and rejects when a connection has delayed it. */
export async function closeWithoutDelay(close: () => Promise<unknown>): Promise<void> {
  const took = await patienceFor(close());
  if (took > DELAYED) throw new Error(`a connection held up the end for ${took} ms`);
}

export const RELEASE = {
  version: '1.2.3',
  commit: 'abc',
  buildDate: 'today',
  bundleHash: 'e253cbe640079a7a',
  bundleProvenance: undefined,
};
export const LOOPBACK = ['server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0'];

/** A configuration of a server on free ports of this machine. The last of several equal keys counts. */
export function loopbackConfig(...sets: readonly string[]): Config {
  return loadConfig({ sets: [...LOOPBACK, ...sets], environment: {} }).config;
}

/** Starts a server with any decider on free ports of this machine. The last of several equal keys counts. */
export function start(
  sets: readonly string[] = [],
  decider: Decider = fakeDecider,
  watchers: readonly Watcher[] = [],
): Promise<ListeningServer> {
  const config = loopbackConfig(...sets);
  return openServer({ config, decider, preparation: {}, build: () => RELEASE, watchers });
}
