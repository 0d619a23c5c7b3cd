import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { statisticsOf } from './rounds.js';

/**
 * Bytes that an operation leaves on the heap: the median of short loops. Garbage is collected between them, so that
 * none is collected within one.
 * @param inputs the number of inputs: operation i gets input `i % inputs`.
 */
export function bytesAllocated(run: (index: number) => unknown, inputs: number): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const sample = (): number => {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < OPERATIONS; i++) run(i % inputs);
    return Math.max(0, process.memoryUsage().heapUsed - before) / OPERATIONS;
  };
  sample();
  return statisticsOf(Array.from({ length: 9 }, sample)).median;
}

/** At some hundred bytes each, they fit the young generation. */
const OPERATIONS = 20_000;
