import { rmSync } from 'node:fs';
import { createEngine, writingOf } from '#runtime/engine';
import type { PolicyBundle, TracedBundle } from '#runtime/policy';
import type { ServerInfoResponse } from '../proto/messages.js';
import { verifierOf } from './aux-data/verify.js';
import type { Config } from './config.js';
import { ConfigError } from './config/config-error.js';
import { listenGrpc, listenHttp } from './listen.js';
import { release } from './release.js';
import { CallIds } from './service/call-id.js';
import type { Decider } from './service/decider.js';
import { Health } from './service/health.js';
import { HEALTH_NAMES, type Services } from './service/services.js';
import { grpcServer } from './transport/grpc/grpc-server.js';
import { httpServer } from './transport/http/http-server.js';

/** What a compiled bundle exports. */
export interface Bundle {
  readonly policies: PolicyBundle;
  /** Loads the conditions again, telling an error from false: strict evaluation needs them. */
  readonly traced?: () => Promise<TracedBundle>;
}

/** A server that answers. */
export interface ListeningServer {
  /** `127.0.0.1:3592`, or `unix:/path`. */
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Says NOT_SERVING, accepts nothing more, answers what is under way, and resolves when that is done (server.md 9.7). Once is enough. */
  readonly close: () => Promise<void>;
}

/** A server of compiled policies. */
export interface RunningServer extends ListeningServer {
  /** Decides by another bundle from the next request on; a request sees one bundle. Rejects, and changes nothing, when it cannot be served. */
  readonly swap: (bundle: Bundle) => Promise<void>;
}

/** How long calls under way may take after the server was asked to stop, in milliseconds. */
const PATIENCE = 30_000;

/**
 * Serves the policies of a bundle: engine, service, transports, listeners, in this order, so that nothing listens before everything
 * is ready. Rejects with a ConfigError for a configuration it cannot serve with, with the platform's error for a listener it cannot open.
 */
export async function startServer(config: Config, bundle: Bundle): Promise<RunningServer> {
  let current = await deciderOf(config, bundle);
  const server = await serve(config, { check: (request) => current.check(request), plan: (request) => current.plan(request) }, release);
  const swap = async (next: Bundle): Promise<void> => {
    current = await deciderOf(config, next);
  };
  return { ...server, swap };
}

/** The same with whatever decides: for tests of the transports. */
export async function serve(config: Config, decider: Decider, build: ServerInfoResponse): Promise<ListeningServer> {
  const health = new Health(HEALTH_NAMES);
  const maxMessageSize = config.server.grpc.maxRecvMsgSizeBytes;
  const limits = config.server.requestLimits;
  const services: Services = {
    decider,
    callIds: new CallIds(),
    limits,
    verify: verifierOf(config.jwt),
    watchers: [],
    health,
    release: build,
    maxMessageSize,
  };
  const http = httpServer(config.server, services);
  const grpc = grpcServer(config.server.grpc, services);
  const stop = async (): Promise<void> => {
    health.stop();
    await Promise.all([http.stop(PATIENCE), grpc.stop(PATIENCE)]);
    removeSockets(config);
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };
  try {
    const grpcAddress = await listenGrpc(grpc.server, config.server.grpcListenAddr, config.server.udsFileMode);
    const httpAddress = await listenHttp(http.app, config.server.httpListenAddr, config.server.udsFileMode);
    return { httpAddress, grpcAddress, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function deciderOf(config: Config, { policies, traced }: Bundle): Promise<Decider> {
  const { referenceShapes, ...engine } = config.engine;
  const options = { ...engine, schemaEnforcement: config.schemaEnforcement, plan: writingOf(referenceShapes) };
  if (!config.engine.strictEvaluation) return createEngine(policies, options);
  if (traced === undefined) throw new ConfigError('strict evaluation needs a bundle with traced conditions', 'engine.strictEvaluation');
  return createEngine(policies, { ...options, traced: await traced() });
}

function removeSockets(config: Config): void {
  for (const address of [config.server.httpListenAddr, config.server.grpcListenAddr]) {
    if (address.kind === 'unix') rmSync(address.path, { force: true });
  }
}
