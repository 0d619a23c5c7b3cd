import { loadConfig } from '../../server/config.js';
import { type ListeningServer, serve } from '../../server/main.js';
import type { Decider } from '../../server/service/decider.js';
import type { Watcher } from '../../server/service/watcher.js';
import { fakeDecider } from './fake-decider.js';

export const RELEASE = { version: '1.2.3', commit: 'abc', buildDate: 'today', bundleHash: 'e253cbe640079a7a' };
const LOOPBACK = ['server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0'];

/** A server on free ports of this machine; the last of several equal keys counts. */
export function start(sets: readonly string[] = [], decider: Decider = fakeDecider, watchers: readonly Watcher[] = []): Promise<ListeningServer> {
  const { config } = loadConfig({ sets: [...LOOPBACK, ...sets], environment: {} });
  return serve(config, decider, RELEASE, watchers);
}
