import { loadConfig } from '../../../server/config.js';
import type { OpenConfig } from '../../../server/bundle/open-feed.js';

/** The configuration of a source, as flags would say it. */
export function bundleConfig(source: string, keys: { readonly [key: string]: string } = {}): OpenConfig {
  const patient = {
    'poll.connectTimeout': '2m',
    'poll.idleTimeout': '2m',
    'poll.timeout': '10m',
    'proxy.url': '',
  };
  const sets = Object.entries({ source, ...patient, ...keys }).map(([key, value]) => `bundle.${key}=${escaped(value)}`);
  const { config } = loadConfig({ sets, environment: {} });
  const { bundle } = config;
  if (bundle.source === undefined) throw new Error('no source');
  return { ...bundle, source: bundle.source };
}

function escaped(value: string): string {
  return value.replace(/[,.[\]{}=\\]/g, (character) => `\\${character}`);
}
