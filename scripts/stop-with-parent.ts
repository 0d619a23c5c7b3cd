/**
 * npm and the shell between do not pass signals on: when they are gone, this process stops as if it had been told to.
 */
export function stopWithParent(): void {
  const parent = process.ppid;
  const stopOrphan = (): void => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  };
  setInterval(stopOrphan, 250).unref();
}
