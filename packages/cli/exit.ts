import { ConfigError } from '../../server/config/config-error.js';
import { maskText } from '../../server/config/mask.js';
import { type CommandContext, printNote } from './context.js';

/**
 * The exit codes of all commands (docs/command-line.md#exit-codes-and-messages). An argument that names what does not
 * exist is a failure; one that cannot be right, whatever exists, is wrong usage.
 */
export const EXIT = {
  done: 0,
  /** A problem was found, or what the command needs is missing or does not work. */
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

/** How lines about the run of a program begin, by program; lines about a file begin with its path. */
const PREFIXES = { authzc: 'authzc: ', 'authz-server': 'authz: error: ' } as const;

/** The beginning of lines about the run of this program. */
export function choosePrefix({ program = 'authzc' }: Pick<CommandContext, 'program'>): string {
  return PREFIXES[program];
}

/** Prints a line about the run of the command to standard error, after the name of the program. */
export function printMessage(context: Pick<CommandContext, 'stderr' | 'program'>, text: string): void {
  printNote(context, `${choosePrefix(context)}${text}`);
}

/** Prints a failure to standard error, on one line, or on one for each problem of a configuration. */
export function printError(error: unknown, context: Pick<CommandContext, 'stderr' | 'program'>): void {
  for (const each of problemsIn(error)) printMessage(context, failureMessage(each).replace(/\s*\n\s*/g, ' '));
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
