import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A PDP in its own process. */
export interface PdpProcess {
  /** `http://127.0.0.1:3592`: REST and Connect. */
  readonly url: string;
  /** `127.0.0.1:3593`: gRPC. */
  readonly grpcAddress: string;
  readonly close: () => Promise<void>;
}

/** The addresses to listen on. Port 0 selects a free port. */
export interface PdpAddresses {
  readonly http: string;
  readonly grpc: string;
}

/** Runs `authzc serve policies`. Rejects when it does not start; stderr then has the reason. */
export async function startPdp({ http, grpc }: PdpAddresses): Promise<PdpProcess> {
  const sets = ['--set', `server.httpListenAddr=${http}`, '--set', `server.grpcListenAddr=${grpc}`];
  const child = spawn(process.execPath, [AUTHZC, 'serve', POLICIES, ...sets], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  // However this process ends, it must not leave the child running.
  process.once('exit', () => child.kill('SIGTERM'));
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const [, url, grpcAddress] = READY.exec(await firstLine(child)) ?? [];
  if (url !== undefined && grpcAddress !== undefined) return { url, grpcAddress, close };
  await close();
  throw new Error('the decision point did not start');
}

/** Built by `npm run build`. In your own project it is `node_modules/authzc/dist/authzc.js`, or `npx authzc`. */
const AUTHZC = fileURLToPath(new URL(`../../${process.env['AUTHZ_DIST'] ?? 'dist'}/authzc.js`, import.meta.url));
const POLICIES = fileURLToPath(new URL('policies', import.meta.url));

const READY = /REST and Connect on (\S+), gRPC on (\S+)/;

/** The first line that a process prints; empty when it ends without one. */
async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) return '';
  for await (const line of createInterface({ input: stdout })) return line;
  return '';
}
