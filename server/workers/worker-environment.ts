/** The environment variable that marks a process as a worker. */
export const WORKER_VARIABLE = 'AUTHZ_WORKER';

/**
 * The environment variables of workers, in addition to those of this process. glibc returns large freed blocks to the
 * system only while this threshold is fixed; by default it grows with each such block, and the memory used to read a
 * large bundle is never returned: 490 MB instead of 260 with ten thousand policies.
 */
export function workerEnvironment(own: NodeJS.ProcessEnv): { readonly [name: string]: string } {
  return { [WORKER_VARIABLE]: '1', MALLOC_MMAP_THRESHOLD_: own['MALLOC_MMAP_THRESHOLD_'] ?? '131072' };
}
