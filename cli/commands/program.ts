import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A program that runs beside this one, on the same terminal. */
export interface StartedProgram {
  /**
   * Its exit code; as shells have it, 127 when it cannot be started, and 128 with the number of the signal that ended
   * it.
   */
  readonly ended: Promise<number>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Starts a program: its name and its arguments. No shell reads them. */
export function startProgram([name = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv): StartedProgram {
  const child = spawn(name, args, { env: environment, stdio: 'inherit' });
  const ended = new Promise<number>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      // A signal that cannot be sent is an error too, and ends nothing.
      if (child.pid !== undefined) return;
      console.error(`authzc: \`${name}\` cannot be started: ${error.code ?? error.message}`);
      resolve(NOT_STARTED);
    });
    child.on('exit', (code, signal) => resolve(code ?? SIGNALLED + constants.signals[signal as NodeJS.Signals]));
  });
  return { ended, kill: (signal) => void child.kill(signal) };
}

const NOT_STARTED = 127;
const SIGNALLED = 128;
