import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerInfoResponse } from '../proto/messages.js';
import { verifierOf } from './aux-data/verify.js';
import type { Config } from './config.js';
import { listenGrpc, listenHttp } from './listen.js';
import { release } from './release.js';
import { CallIds } from './service/call-id.js';
import type { Decider } from './service/decider.js';
import { Health } from './service/health.js';
import { HEALTH_NAMES, type Services } from './service/services.js';
import type { Watcher } from './service/watcher.js';
import type { Bundle } from './swap/bundle.js';
import { engineOf } from './swap/engine-of.js';
import { grpcServer } from './transport/grpc/grpc-server.js';
import { httpServer } from './transport/http/http-server.js';

export type { Bundle } from './swap/bundle.js';

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
  /** Makes ready to decide by another bundle: tries it, and changes nothing yet. Rejects when it cannot be served. */
  readonly prepare: (bundle: Bundle) => Promise<Prepared>;
  /** Decides by another bundle from the next request on; a request sees one bundle. Rejects, and changes nothing, when it cannot be served. */
  readonly swap: (bundle: Bundle) => Promise<void>;
}

/** A bundle that was tried. */
export interface Prepared {
  /** From the next request on, it decides. */
  readonly commit: () => void;
}

/** What a server is given beside its configuration. */
export interface Surroundings {
  readonly watchers?: readonly Watcher[];
  /** Told of each bundle that begins to decide, the first included. */
  readonly loaded?: (bundle: Bundle) => void;
  /** Called when the last call has been answered: whoever looked on writes out what is left. */
  readonly answered?: () => Promise<void>;
  /** Socket files are made and removed by the primary process. */
  readonly sharesSockets?: boolean;
}

/** How long calls under way may take after the server was asked to stop, in milliseconds. */
const PATIENCE = 30_000;

/**
 * Serves the policies of a bundle: engine, service, transports, listeners, in this order, so that nothing listens before everything
 * is ready. Rejects with a ConfigError for a configuration it cannot serve with, with the platform's error for a listener it cannot open.
 */
export async function startServer(config: Config, bundle: Bundle, surroundings: Surroundings = {}): Promise<RunningServer> {
  let current: Decider = await engineOf(config, bundle);
  const decider: Decider = { check: (request) => current.check(request), plan: (request) => current.plan(request) };
  const build = (): ServerInfoResponse => release;
  surroundings.loaded?.(bundle);
  const server = await listen(config, decider, build, surroundings);
  const prepare = async (next: Bundle): Promise<Prepared> => {
    const engine = await engineOf(config, next);
    const commit = (): void => {
      current = engine;
      surroundings.loaded?.(next);
    };
    return { commit };
  };
  return { ...server, prepare, swap: async (next) => (await prepare(next)).commit() };
}

/** The same with whatever decides: for tests of the transports. */
export function serve(config: Config, decider: Decider, build: ServerInfoResponse, surroundings: Surroundings = {}): Promise<ListeningServer> {
  return listen(config, decider, () => build, surroundings);
}

async function listen(config: Config, decider: Decider, build: () => ServerInfoResponse, surroundings: Surroundings): Promise<ListeningServer> {
  const health = new Health(HEALTH_NAMES);
  const services: Services = {
    decider,
    callIds: new CallIds(),
    limits: config.server.requestLimits,
    verify: verifierOf(config.jwt),
    watchers: surroundings.watchers ?? [],
    health,
    get release() {
      return build();
    },
    maxMessageSize: config.server.grpc.maxRecvMsgSizeBytes,
  };
  const grpc = grpcServer(config.server.grpc, services);
  const http = httpServer(config.server, services, { grpc });
  const stop = async (grace: number): Promise<void> => {
    health.stop();
    // Whoever asks for the health sends new calls elsewhere; until it has asked, they are answered here.
    if (grace > 0) await sleep(grace);
    await Promise.all([http.stop(PATIENCE), grpc.stop(PATIENCE)]);
    if (surroundings.sharesSockets !== true) removeSockets(config);
    await surroundings.answered?.();
  };
  let closing: Promise<void> | undefined;
  const close = (grace: number): Promise<void> => {
    closing ??= stop(grace);
    return closing;
  };
  const socketMode = surroundings.sharesSockets === true ? undefined : config.server.udsFileMode;
  try {
    const grpcAddress = await listenGrpc(grpc.server, config.server.grpcListenAddr, socketMode);
    const httpAddress = await listenHttp(http.app, config.server.httpListenAddr, socketMode);
    return { httpAddress, grpcAddress, close: () => close(config.server.shutdownGrace) };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** Removes the socket files of a configuration. */
export function removeSockets(config: Config): void {
  for (const address of [config.server.httpListenAddr, config.server.grpcListenAddr]) {
    if (address.kind === 'unix') rmSync(address.path, { force: true });
  }
}
