import type { Socket } from 'node:net';
import type { ListeningServer } from '../main.js';
import { debugOnSignal } from '../observe/log/debug-signal.js';
import { openLog } from '../observe/log/open-log.js';
import { Link } from './link.js';
import type { PrimaryTopics, WorkerTopics } from './topics.js';
import { serveAsWorker } from './worker-server.js';

/**
 * The life of a worker process: asks the primary process what to serve, serves it, and ends when it is told to, when it
 * gets a SIGTERM of its own, or when the primary process is gone.
 */
export async function runWorker(): Promise<void> {
  const log = openLog();
  debugOnSignal(log);
  const link: Link<PrimaryTopics, WorkerTopics> = new Link({
    send: (message, sent) => {
      if (process.connected) process.send?.(message, undefined, undefined, sent);
      else sent(new Error('not connected'));
    },
  });
  process.on('message', (message, socket) => link.receive(message, socket as Socket | undefined));
  process.on('disconnect', () => process.exit(0));
  // A terminal sends Ctrl-C to all processes of a group: the primary process says when to stop. SIGHUP it passes on to
  // whoever listens for it.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  let server: ListeningServer | undefined;
  const stop = async (): Promise<undefined> => {
    // Told to stop before it serves, it has nothing to answer.
    await server?.close();
    process.exit(0);
  };
  link.answer('stop', stop);
  // A signal of its own, or of a group: it goes when it is given no connection any more.
  process.on('SIGTERM', () => void (server === undefined ? stop() : link.ask('leave', undefined).then(stop, stop)));
  try {
    server = await serveAsWorker(link, log);
  } catch (error) {
    await link.ask('failed', error instanceof Error ? error.message : String(error)).catch(() => {});
    process.exit(1);
  }
}
