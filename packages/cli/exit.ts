import { ConfigError } from '../../server/config/config-error.js';
import { maskText } from '../../server/config/mask.js';
import type { CommandContext } from './context.js';

/** The exit codes of all commands (docs/spec/server.md#command-line). */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The arguments, or a file that describes a request, are invalid. */
  usage: 2,
  /** The policies do not compile. */
  refused: 3,
  testsFailed: 4,
  /** A request refutes a proof: a bug in authz. */
  proofRefuted: 5,
} as const;

/** Invalid arguments. */
export class UsageError extends Error {}

/** Prints a failure to standard error, on one line, or on one for each problem of a configuration. */
export function printError(error: unknown, { stderr }: Pick<CommandContext, 'stderr'>): void {
  for (const each of problemsIn(error))
    stderr.write(`authz: error: ${failureMessage(each).replace(/\s*\n\s*/g, ' ')}\n`);
}

/** A failure and, for a configuration, its other problems. */
export function problemsIn(error: unknown): readonly unknown[] {
  return error instanceof ConfigError ? [error, ...error.others] : [error];
}

/** What to tell of a failure. Packages that only some configurations need may be missing. */
export function failureMessage(error: unknown): string {
  if (!(error instanceof Error)) return maskText(String(error));
  const missing = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  return missing === undefined
    ? maskText(error.message)
    : `${missing} is not installed, and this configuration needs it: npm install ${missing}`;
}

/**
 * Allows the reader of standard output or standard error to close it early, as `authzc inspect | head` does. The command
 * ends as it would otherwise: one that writes files must not end in the middle. Any other failure to write is thrown.
 */
export function allowClosedPipes({ stdout, stderr }: CommandContext): void {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}
