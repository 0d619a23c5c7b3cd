import { readdirSync, readFileSync } from 'node:fs';

/**
 * Microseconds of CPU that a process and its children have used, all threads together. The scheduler counts them, so
 * short stretches are included.
 */
export function cpuOf(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return nanoseconds / 1000;
}

/** Bytes of memory, private and shared, now. */
export function residentOf(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids)
    kilobytes += Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return kilobytes * 1024;
}
