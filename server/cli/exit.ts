/** The exit codes of the command line, as those of authzc: all is well, something failed, wrong arguments. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** The one line of a failure. */
export function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`authz: error: ${message.replace(/\s*\n\s*/g, ' ')}\n`);
}
