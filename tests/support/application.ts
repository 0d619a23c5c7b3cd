import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { nodeEnvironment, npmProgram } from './npm.js';

/** A running application of a project. */
export interface Application {
  /** The address that it prints. Rejects if the application ends without one. */
  readonly url: Promise<string>;
  /** What it has printed so far. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/** Runs `npm start` of a project on a free port. */
export function startApplication(project: string, variables: NodeJS.ProcessEnv = {}): Application {
  return startScript(project, ['start'], /^listening on (\S+)$/, variables);
}

/** Runs a script of a project that goes on until it is stopped, and finds its address in a line that it prints. */
export function startScript(
  project: string,
  words: readonly string[],
  address: RegExp,
  variables: NodeJS.ProcessEnv = {},
): Application {
  const child = spawn(process.execPath, [npmProgram(), ...words], {
    cwd: project,
    env: { ...nodeEnvironment(), ...variables, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm and the shell do not pass signals on: the whole group is ended.
    detached: true,
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const url = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      const [, found] = address.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('close', () => reject(new Error(`npm ${words.join(' ')} ended: ${output}`)));
  });
  // Callers need not wait for the address.
  url.catch(() => undefined);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  return { url, output: () => output, stop };
}
