import type { KeySetConfig } from '../config/key-sets.js';
import { loadKeySet } from './key-set.js';
import type { KeySetEvent, KeySource } from './key-source.js';
import { RemoteKeySet } from './remote-key-set.js';

/**
 * Opens a configured keyset. Throws a ConfigError for keys at hand that cannot be used; a remote set that cannot be
 * reached is no reason not to start.
 */
export function openKeySet(config: KeySetConfig, tell: (event: KeySetEvent) => void): KeySource {
  const { id, source } = config;
  if (config.optionalAlg || config.optionalKid) tell({ kind: 'insecure', id });
  if (source.kind === 'remote') return new RemoteKeySet(config, source, tell);
  const keySet = loadKeySet(config);
  if (keySet.unusable !== undefined) tell({ kind: 'unusable', id, reason: keySet.unusable });
  return { id, current: () => keySet, newer: () => undefined, close: () => undefined };
}
