import { fork } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './paths.js';

/**
 * Runs a worker of this folder in a process of its own, cold, and gives what it reports: the last message it sends.
 * Rejects when it ends without one.
 *
 * @param worker its file below bench/.
 * @param nodeOptions options for Node, beside those that run TypeScript.
 */
export function runChild<T>(
  worker: string,
  parameters: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(join(ROOT, 'bench', worker), parameters, {
      execArgv: ['--import', 'tsx', ...nodeOptions],
      cwd: ROOT,
    });
    let report: T | undefined;
    child.on('message', (message) => {
      report = message as T;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (report !== undefined && code === 0) resolve(report);
      else reject(new Error(`${worker} ${parameters.join(' ')} ended with code ${code}`));
    });
  });
}

/** What a worker reports. Resolves when the message is on its way. */
export function report(message: object): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}
