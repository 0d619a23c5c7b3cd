import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { WORKER_VARIABLE, workerEnvironment } from '../../server/workers/worker-environment.js';
import { ROOT } from '../harness/paths.js';

/** A PDP in its own processes. */
export interface PeerServer {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly grpcMethod: string;
  readonly pids: readonly number[];
  /** Milliseconds from the start of the process to its first valid response. */
  readonly readyAfter: number;
  readonly stop: () => Promise<void>;
}

/**
 * This server as it is installed: over a compiled bundle, one process with the environment of its image, and defaults
 * for everything else.
 */
export async function startOurs(bundle: string): Promise<PeerServer> {
  const [http, grpc] = await freePorts();
  const sets = [
    `server.httpListenAddr=127.0.0.1:${http}`,
    `server.grpcListenAddr=127.0.0.1:${grpc}`,
    'server.workers=1',
  ];
  const flags = ['--bundle', bundle, ...sets.flatMap((set) => ['--set', set])];
  const { [WORKER_VARIABLE]: _, ...environment } = workerEnvironment({});
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'server.js'), ...flags], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  return ready(child, http, grpc, '/_authz/health', '/authz.svc.v1.AuthzService/CheckResources');
}

/** The reference PDP with the same policies, and defaults for everything else except that it sends no telemetry. */
export async function startReference(policies: string, folder: string): Promise<PeerServer> {
  const [http, grpc] = await freePorts();
  const config = join(folder, 'reference.yaml');
  const settings = {
    server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}` },
    storage: { driver: 'disk', disk: { directory: policies, watchForChanges: false } },
    telemetry: { disabled: true },
  };
  writeFileSync(config, JSON.stringify(settings));
  const binary = join(ROOT, 'bench', 'peers', 'node_modules', '@cerbos', 'cerbos-linux-x64', 'cerbos-linux-x64');
  const child = spawn(binary, ['server', `--config=${config}`], { stdio: ['ignore', 'ignore', 'ignore'] });
  return ready(child, http, grpc, '/_cerbos/health', '/cerbos.svc.v1.CerbosService/CheckResources');
}

/** With 10,000 policies the reference PDP takes minutes. */
const START_TIMEOUT = 300_000;

async function ready(
  child: ChildProcess,
  http: number,
  grpc: number,
  healthPath: string,
  grpcMethod: string,
): Promise<PeerServer> {
  const start = performance.now();
  const httpAddress = `127.0.0.1:${http}`;
  while (!(await isHealthy(`http://${httpAddress}${healthPath}`))) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    if (performance.now() - start > START_TIMEOUT) throw new Error('the server is not ready');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const readyAfter = performance.now() - start;
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { httpAddress, grpcAddress: `127.0.0.1:${grpc}`, grpcMethod, pids: [child.pid as number], readyAfter, stop };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    // Nothing listens yet.
    return false;
  }
}

async function freePorts(): Promise<readonly [number, number]> {
  return [await freePort(), await freePort()];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}
