/**
 * Lets who reads standard output close it when it has seen enough, as `authzc inspect | head` does; any other failure
 * to write is thrown.
 */
export function allowClosedPipe(onClosed: () => void = () => undefined): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
}
