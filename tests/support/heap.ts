import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * The bytes that objects and buffers in use have, after a garbage collection: when V8 collects by itself depends on the
 * machine.
 */
export function bytesInUse(): number {
  collect ??= exposedCollector();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const exposed = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return exposed;
}
