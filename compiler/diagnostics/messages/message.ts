import type { Message } from '../messages.js';

/** Declares one entry of the registry, so that the type of its parameters is kept. */
export function message<P>(entry: Message<P>): Message<P> {
  return entry;
}
