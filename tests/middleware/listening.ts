import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Application } from './contract.js';

/** The application behind a server that listens on loopback. */
export function listening(server: Server): Application {
  const { port } = server.address() as AddressInfo;
  return {
    ask: (method, path, headers) => fetch(`http://127.0.0.1:${port}${path}`, { method, headers }),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
