/** The exit codes of the command line (server.md 6): all is well, something failed, wrong arguments, the policies do not compile, their tests failed. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, testsFailed: 4 } as const;
