import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The recorded load-test workload next to the repository. It may be absent. */
export const SHARED_WORKLOAD = join(ROOT, '..', 'shared', 'bench');

/** The audit file of a measured server, next to its bundle. */
export function auditFileOf(bundle: string, server: string): string {
  return `${bundle}.${server}.log`;
}
