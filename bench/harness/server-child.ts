import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.js';

/**
 * A minimal server, or this one: alone, with log and metrics, with those and a candidate that decides every call, too, or
 * with an audit log.
 */
export type ServerName =
  | 'bare'
  | 'ours'
  | 'observed'
  | 'shadow'
  | 'audit file'
  | 'audit file before reply'
  | 'audit file chained'
  | 'audit database'
  | 'audit kafka';

/** A server process that is measured from outside. */
export interface ServerChild {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Microseconds of CPU that the process has used. */
  readonly cpu: () => Promise<number>;
  readonly stop: () => void;
}

/**
 * Starts a server worker and waits until it listens.
 *
 * @param broker the address of the broker of `audit kafka`.
 */
export async function startServerChild(what: ServerName, path: string, broker = ''): Promise<ServerChild> {
  const child = fork(await worker(), [what, path, broker], { execArgv: [], cwd: ROOT });
  const { httpAddress, grpcAddress } = (await nextMessage(child)) as {
    readonly httpAddress: string;
    readonly grpcAddress: string;
  };
  const cpu = async (): Promise<number> => {
    child.send('cpu');
    return ((await nextMessage(child)) as { readonly cpu: number }).cpu;
  };
  return { httpAddress, grpcAddress, cpu, stop: () => child.disconnect() };
}

/**
 * The server worker, bundled, as programs are. What runs TypeScript from its source keeps the name of each closure,
 * which took a tenth of the time of a request.
 */
function worker(): Promise<string> {
  built ??= buildWorker();
  return built;
}

let built: Promise<string> | undefined;

async function buildWorker(): Promise<string> {
  // As deep below the root as the files of the harness, which find the root from where they are.
  const outfile = join(ROOT, '.cache', 'bench', 'server-worker.mjs');
  const entry = join(ROOT, 'bench', 'server.worker.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  return outfile;
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('the server ended'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
