/**
 * The exit codes of the commands (docs/spec/server.md#command-line): all is well, something failed, wrong arguments,
 * the policies do not compile, their tests failed.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, testsFailed: 4 } as const;

/** Arguments that make no sense. */
export class UsageError extends Error {}

/** Writes the one line of a failure to standard error. */
export function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`authz: error: ${message.replace(/\s*\n\s*/g, ' ')}\n`);
}
