import { fork } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './paths.js';

/**
 * Runs a worker of this folder in its own process, cold, and returns the last message that it sends. Rejects when it
 * ends without one.
 * @param worker its file below bench/.
 * @param nodeOptions options for Node, in addition to those that run TypeScript.
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

/** Sends the result of a worker to its parent. Resolves when the message is sent. */
export function report(message: object): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}
