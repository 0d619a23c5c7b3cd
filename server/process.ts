import type { RunningServer } from './main.js';

/** The one line a server prints when it is ready. */
export function readyLine({ httpAddress, grpcAddress }: RunningServer): string {
  return `authz: REST and Connect on http://${httpAddress}, gRPC on ${grpcAddress}`;
}

/** Ends the process on SIGTERM and SIGINT, having answered what was under way. */
export function stopOnSignal(server: RunningServer): void {
  const stop = (): void => {
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
