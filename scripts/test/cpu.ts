import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second in /proc. Linux has reported 100 to programs for decades, whatever the kernel uses. */
const TICKS = 100;

/**
 * The CPU seconds that a process and the children that it has waited for have used. Undefined outside Linux.
 *
 * @param id process id, or `self`.
 */
export function cpuSeconds(id: number | 'self'): number | undefined {
  const fields = statOf(String(id));
  return fields === undefined ? undefined : sumOf(fields);
}

/**
 * The CPU seconds of the living processes of a group and of the children that they have waited for. Undefined outside
 * Linux. It falls when a process ends that nobody waits for, so only a change has a meaning.
 */
export function groupCpuSeconds(group: number): number | undefined {
  let ids: readonly string[];
  try {
    ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  return ids
    .map(statOf)
    .filter((fields) => fields !== undefined && Number(fields[GROUP]) === group)
    .reduce((sum, fields) => sum + sumOf(fields as readonly string[]), 0);
}

/** Positions in /proc/ID/stat, counted behind the name of the program, which may contain spaces. */
const GROUP = 2;
const TIMES = [11, 12, 13, 14];

function statOf(id: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function sumOf(fields: readonly string[]): number {
  return TIMES.reduce((sum, position) => sum + Number(fields[position]), 0) / TICKS;
}
