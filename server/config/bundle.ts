import type { Settings } from './settings.js';

/** How the server gets its bundle. Durations are milliseconds. */
export interface BundleConfig {
  /** The folder in which the server remembers what it has accepted. */
  readonly cache: string | undefined;
  /** Undefined: unsigned bundles are served. */
  readonly trust: TrustConfig | undefined;
}

/** Which signed bundles are served. */
export interface TrustConfig {
  /** Files with public keys. */
  readonly keys: readonly string[];
  /** How many of the keys must have signed. */
  readonly required: number;
  readonly maxAge: number | undefined;
  readonly requireSequence: boolean;
  readonly clockSkew: number;
}

/** The settings as the server uses them. */
export function bundleOf(settings: Settings): BundleConfig {
  const keys = settings['bundle.trust.keys'];
  return {
    cache: settings['bundle.cache'],
    trust:
      keys.length === 0
        ? undefined
        : {
            keys,
            required: settings['bundle.trust.required'],
            maxAge: settings['bundle.trust.maxAge'],
            requireSequence: settings['bundle.trust.requireSequence'],
            clockSkew: settings['bundle.trust.clockSkew'],
          },
  };
}
