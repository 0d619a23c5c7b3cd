import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The load-test workload beside the repository, which may be absent. */
export const SHARED_WORKLOAD = join(ROOT, '..', 'shared', 'bench');
