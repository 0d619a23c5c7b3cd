/** The exit codes of all commands (docs/spec/server.md#command-line). */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The arguments, or a file that describes a request, are invalid. */
  usage: 2,
  /** The policies do not compile. */
  refused: 3,
  testsFailed: 4,
} as const;

/** Invalid arguments. */
export class UsageError extends Error {}

/** Prints a failure to standard error, on one line. */
export function printError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`authz: error: ${message.replace(/\s*\n\s*/g, ' ')}\n`);
}

/**
 * Allows the reader of standard output to close it early, as `authzc inspect | head` does. Any other failure to write
 * is thrown.
 */
export function allowClosedPipe(onClosed: () => void = () => undefined): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
}
