import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { statisticsOf } from './rounds.js';

/**
 * Bytes an operation leaves on the heap: the median of short loops between which garbage is collected, so that none is
 * collected within.
 *
 * @param inputs operation i is asked `i % inputs`.
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

/** Some hundred bytes each still fit the young generation. */
const OPERATIONS = 20_000;
