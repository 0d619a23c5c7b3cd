import type { EventEmitter } from 'node:events';

/** Removes the platform's only listener for one of its server's events, and returns it as a function. */
export function takeListener<Arguments extends readonly unknown[]>(
  server: EventEmitter,
  event: string,
): (...args: Arguments) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (...args) => {
    for (const listener of listeners) listener.apply(server, args);
  };
}
