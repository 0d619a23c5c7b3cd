import { setFlagsFromString } from 'node:v8';

/** Of what is alive, in percent. */
const GARBAGE = 50;

/**
 * Collects what has died as soon as it is half as much as what is alive. Left alone, V8 lets it become several times as much when calls come in fast, above
 * all over gRPC: a container is sized for the most, and the collections that this saves are not seen in a request (bench/peers). For a process of its own;
 * to be called before it serves.
 */
export function limitGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE}`);
}
