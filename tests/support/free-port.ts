import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to listeners that ask for any port: nothing else comes to these. */
const LOWEST = 15_000;
const COUNT = 17_000;

/** A port of this machine on which nobody listens. It stays free for a program that is told to listen on it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
