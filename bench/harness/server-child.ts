import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, truncateSync } from 'node:fs';
import { bundleWorker } from './bundled-worker.js';
import { auditFileOf, ROOT } from './paths.js';

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
  | 'audit file read-set'
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
  /**
   * Empties its audit file, if it has one. Memory that a virtual machine has not used before takes four to eight times as
   * long to write to, so that a file of gigabytes would measure that.
   */
  readonly emptyLog: () => void;
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
  const log = auditFileOf(path, what);
  const emptyLog = (): void => {
    if (existsSync(log)) truncateSync(log);
  };
  return { httpAddress, grpcAddress, cpu, emptyLog, stop: () => child.disconnect() };
}

/** The server worker, bundled once. */
function worker(): Promise<string> {
  built ??= bundleWorker('server.worker');
  return built;
}

let built: Promise<string> | undefined;

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
