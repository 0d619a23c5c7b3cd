import type { EngineOptions } from '#runtime/engine';
import type { Attributes } from '#runtime/policy';
import { ConfigError } from '../../server/config/config-error.js';
import { readConfig } from '../../server/config/read.js';
import { settle, type Settings } from '../../server/config/settings.js';

/** What a configuration says about decisions, and where its server listens. */
export interface ServerSettings {
  readonly url: string;
  readonly engine: Omit<EngineOptions, 'clock'>;
}

/** Reads a translated configuration; without one, or if it needs the environment, the defaults. */
export function serverSettings(text: string | undefined): ServerSettings {
  const settings = settingsOf(text ?? '') ?? settingsOf('');
  if (settings === undefined) throw new Error('the defaults are invalid');
  const { host, port } = addressOf(settings['server.httpListenAddr']);
  return {
    url: `${settings['server.tls.cert'] === undefined ? 'http' : 'https'}://${host}:${port}`,
    engine: {
      defaultPolicyVersion: settings['engine.defaultPolicyVersion'],
      defaultScope: settings['engine.defaultScope'],
      lenientScopeSearch: settings['engine.lenientScopeSearch'],
      globals: settings['engine.globals'] as Attributes,
      schemaEnforcement: settings['schema.enforcement'],
    },
  };
}

function settingsOf(text: string): Settings | undefined {
  try {
    return settle(readConfig(text, '')).settings;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** A server that listens on all addresses is reached on the loopback interface. */
function addressOf(address: Settings['server.httpListenAddr']): { readonly host: string; readonly port: number } {
  if (address.kind === 'unix') return { host: '127.0.0.1', port: 3592 };
  const { host = '127.0.0.1', port } = address;
  return { host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port };
}
