/**
 * Lets the reader of standard output close it early, as `authzc inspect | head` does. Any other failure to write is
 * thrown.
 */
export function allowClosedPipe(onClosed: () => void = () => undefined): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
}
