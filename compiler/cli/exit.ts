/** The exit codes of the command line (server.md 6): all is well, something failed, wrong arguments, the policies do not compile. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3 } as const;
