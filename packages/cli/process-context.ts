import { readFileSync } from 'node:fs';
import type { CommandContext } from './context.js';

/** The context of a command that has this process to itself. */
export const PROCESS_CONTEXT: CommandContext = {
  // A stream is opened when it is first used: an open one of standard input would take what `readInput` reads.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  signals: process,
  readInput: () => readFileSync(0),
  exit: (code) => process.exit(code),
};

/** The same for the server program. */
export const SERVER_CONTEXT: CommandContext = Object.create(PROCESS_CONTEXT, { program: { value: 'authz-server' } });
