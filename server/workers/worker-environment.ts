/** The environment variable that marks a process as a worker. */
export const WORKER_VARIABLE = 'AUTHZ_WORKER';

/**
 * The environment variables of workers, in addition to those of this process.
 *
 * - glibc returns large freed blocks to the system only while the threshold is fixed; by default it grows with each such
 * block, and the memory used to read a large bundle is not returned: 285 MB instead of 248 with ten thousand policies.
 * - Node 24 gives new objects up to 128 MB, four times as much as Node 20, which makes no call cheaper
 * (docs/decisions/packages-page-and-tools.md#0151). Options of the user come later, and count.
 */
export function workerEnvironment(own: NodeJS.ProcessEnv): { readonly [name: string]: string } {
  return {
    [WORKER_VARIABLE]: '1',
    MALLOC_MMAP_THRESHOLD_: own['MALLOC_MMAP_THRESHOLD_'] ?? '131072',
    NODE_OPTIONS: [NEW_OBJECTS, own['NODE_OPTIONS']].filter(Boolean).join(' '),
  };
}

/** Limits the space for new objects to what Node 20 gives them. The image and the systemd unit set it, too. */
const NEW_OBJECTS = '--max-semi-space-size=16';
