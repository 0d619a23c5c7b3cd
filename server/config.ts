import { readFileSync } from 'node:fs';
import type { Address } from './config/address.js';
import { ConfigError } from './config/config-error.js';
import type { KeySetConfig } from './config/key-sets.js';
import { emptyMap, type MapNode } from './config/node.js';
import { readConfig } from './config/read.js';
import { applySet } from './config/set.js';
import { type Settings, settle } from './config/settings.js';
import { type Environment, substitute } from './config/substitute.js';

export { ConfigError } from './config/config-error.js';

/** How the server runs (server.md 2.2). Durations are milliseconds, sizes bytes. */
export interface Config {
  readonly server: {
    readonly httpListenAddr: Address;
    readonly grpcListenAddr: Address;
    readonly udsFileMode: number;
    readonly cors: CorsConfig;
    readonly requestLimits: { readonly maxActionsPerResource: number; readonly maxResourcesPerRequest: number };
    readonly http: { readonly readTimeout: number; readonly readHeaderTimeout: number; readonly writeTimeout: number; readonly idleTimeout: number };
    readonly grpc: { readonly maxRecvMsgSizeBytes: number; readonly maxConcurrentStreams: number; readonly maxConnectionAge: number };
  };
  readonly engine: {
    readonly defaultPolicyVersion: string;
    readonly defaultScope: string;
    readonly lenientScopeSearch: boolean;
    readonly strictEvaluation: boolean;
    /** Plans in the shapes of the reference (planner.md 8.3, 5). */
    readonly referenceShapes: boolean;
    readonly globals: { readonly [name: string]: unknown };
  };
  readonly schemaEnforcement: 'none' | 'warn' | 'reject';
  readonly jwt: { readonly keySets: readonly KeySetConfig[]; readonly disableVerification: boolean; readonly acceptableTimeSkew: number };
  /** Where policies are compiled from, for a server that compiles; undefined when the configuration does not say. */
  readonly policyDirectory: string | undefined;
}

export interface CorsConfig {
  readonly disabled: boolean;
  /** Empty: all. */
  readonly allowedOrigins: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAge: number;
}

/** Where a configuration comes from: a file or none, and the overrides of the command line, in order. */
export interface ConfigSources {
  readonly file?: string | undefined;
  readonly sets?: readonly string[];
  readonly environment?: Environment;
}

/**
 * The configuration of a server (server.md 2.1): the file with the environment put in, the overrides over it, defaults for the rest.
 * Warnings name the keys that have no effect. Throws a ConfigError for whatever the server must not start with.
 */
export function loadConfig(sources: ConfigSources): { readonly config: Config; readonly warnings: readonly string[] } {
  const environment = sources.environment ?? process.env;
  let root = sources.file === undefined ? emptyMap('defaults') : readFile(sources.file, environment);
  for (const flag of sources.sets ?? []) root = applySet(root, substitute(flag, environment, `--set ${flag}`));
  const { settings, warnings } = settle(root);
  return { config: configOf(settings), warnings };
}

function readFile(file: string, environment: Environment): MapNode {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`, file);
  }
  return readConfig(substitute(text, environment, file), file);
}

function configOf(settings: Settings): Config {
  return {
    server: {
      httpListenAddr: settings['server.httpListenAddr'],
      grpcListenAddr: settings['server.grpcListenAddr'],
      udsFileMode: settings['server.udsFileMode'],
      cors: {
        disabled: settings['server.cors.disabled'],
        allowedOrigins: settings['server.cors.allowedOrigins'],
        allowedHeaders: settings['server.cors.allowedHeaders'],
        maxAge: settings['server.cors.maxAge'],
      },
      requestLimits: {
        maxActionsPerResource: settings['server.requestLimits.maxActionsPerResource'],
        maxResourcesPerRequest: settings['server.requestLimits.maxResourcesPerRequest'],
      },
      http: {
        readTimeout: settings['server.advanced.http.readTimeout'],
        readHeaderTimeout: settings['server.advanced.http.readHeaderTimeout'],
        writeTimeout: settings['server.advanced.http.writeTimeout'],
        idleTimeout: settings['server.advanced.http.idleTimeout'],
      },
      grpc: {
        maxRecvMsgSizeBytes: settings['server.advanced.grpc.maxRecvMsgSizeBytes'],
        maxConcurrentStreams: settings['server.advanced.grpc.maxConcurrentStreams'],
        maxConnectionAge: settings['server.advanced.grpc.maxConnectionAge'],
      },
    },
    engine: {
      defaultPolicyVersion: settings['engine.defaultPolicyVersion'],
      defaultScope: settings['engine.defaultScope'],
      lenientScopeSearch: settings['engine.lenientScopeSearch'],
      strictEvaluation: settings['engine.strictEvaluation'],
      referenceShapes: settings['engine.plan.referenceShapes'],
      globals: settings['engine.globals'],
    },
    schemaEnforcement: settings['schema.enforcement'],
    jwt: {
      keySets: settings['auxData.jwt.keySets'],
      disableVerification: settings['auxData.jwt.disableVerification'],
      acceptableTimeSkew: settings['auxData.jwt.acceptableTimeSkew'],
    },
    policyDirectory: settings['storage.disk.directory'],
  };
}
