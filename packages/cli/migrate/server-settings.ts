import type { EngineOptions } from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { Address } from '../../../server/config/address.js';
import { ConfigError } from '../../../server/config/config-error.js';
import type { Settings } from '../../../server/config/keys.js';
import { readConfig } from '../../../server/config/read.js';
import { settle } from '../../../server/config/settings.js';

/** What a configuration says about decisions, and where its server listens. */
export interface ServerSettings {
  readonly url: string;
  readonly engine: Omit<EngineOptions, 'clock'>;
}

/** Reads a translated configuration; without one, or if it needs the environment, the defaults. */
export function serverSettings(text: string | undefined): ServerSettings {
  const settings = readSettings(text ?? '') ?? readSettings('');
  if (settings === undefined) throw new Error('the defaults are invalid');
  const { server, engine, schema } = settings;
  const { host, port } = splitAddress(server.httpListenAddr);
  return {
    url: `${server.tls.cert === undefined ? 'http' : 'https'}://${host}:${port}`,
    engine: {
      defaultPolicyVersion: engine.defaultPolicyVersion,
      defaultScope: engine.defaultScope,
      lenientScopeSearch: engine.lenientScopeSearch,
      globals: engine.globals as Attributes,
      schemaEnforcement: schema.enforcement,
    },
  };
}

function readSettings(text: string): Settings | undefined {
  try {
    return settle(readConfig(text, '')).settings;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** A server that listens on all addresses is reached on the loopback interface. */
function splitAddress(address: Address): { readonly host: string; readonly port: number } {
  if (address.kind === 'unix') return { host: '127.0.0.1', port: 3592 };
  const { host = '127.0.0.1', port } = address;
  return { host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port };
}
