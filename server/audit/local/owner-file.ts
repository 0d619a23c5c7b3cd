import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.js';

/** The right of one process to a storage folder, until it is given up. */
export interface Ownership {
  /**
   * Whether the last owner did not give up the folder before the machine was started again: what it wrote last may be
   * half there.
   */
  readonly machineFailed: boolean;
  readonly giveUp: () => void;
}

/**
 * Takes a storage folder, made when it is not there, for this process. A process that was killed owns nothing any more.
 * A ConfigError when another process uses it, or when it cannot be written.
 */
export function takeOwnership(folder: string): Ownership {
  const path = join(folder, FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { machineFailed: takeFile(path, folder), giveUp: () => rmSync(path, { force: true }) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`the audit log cannot be kept in \`${folder}\`: ${(error as Error).message}`, KEY);
  }
}

const FILE = 'owner';
const KEY = 'audit.local.storagePath';

/** The process that has taken a storage folder and still runs. */
export function findOwner(folder: string): number | undefined {
  const path = join(folder, FILE);
  return existsSync(path) ? runningOwner(readOwner(path)) : undefined;
}

/** Gives whether the machine failed under the last owner. */
function takeFile(path: string, folder: string): boolean {
  if (write(path)) return false;
  const owner = readOwner(path);
  const running = runningOwner(owner);
  if (running !== undefined) throw new ConfigError(`\`${folder}\` is in use by process ${running}`, KEY);
  rmSync(path, { force: true });
  if (!write(path)) throw new ConfigError(`\`${folder}\` is in use by another process`, KEY);
  return owner.boot !== readBootId();
}

/** A process, by when it and its machine were started. */
interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
}

function readOwner(path: string): Owner {
  const [pid = '', start = '', boot = ''] = readFileSync(path, 'utf8').split(' ');
  return { pid: Number(pid), start, boot };
}

function runningOwner({ pid, start, boot }: Owner): number | undefined {
  return boot === readBootId() && isStillRunning(pid, start) ? pid : undefined;
}

function write(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid} ${readStart(process.pid)} ${readBootId()}`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Another process may have the number of the owner by now, which the time of its start tells. */
function isStillRunning(pid: number, start: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return false;
  const running = readStart(pid);
  return running === '' || running === start;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, in the platform's own count; empty where it does not tell. */
function readStart(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** What the machine calls the time since it was started; empty where it does not tell. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
