/** Ends the process on SIGINT and SIGTERM, when what is under way is done; at once, when it is told twice. */
export function endOnSignal(close: () => Promise<void>): void {
  let isEnding = false;
  const end = (): void => {
    if (isEnding) process.exit(1);
    isEnding = true;
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}
