import type { Workload } from './workload.js';
import { documents } from './workloads/documents.js';
import { gdrive } from './workloads/gdrive.js';
import { github } from './workloads/github.js';
import { hospital } from './workloads/hospital.js';
import { issues } from './workloads/issues.js';
import { roles } from './workloads/roles.js';
import { tinytodo } from './workloads/tinytodo.js';

/** The workloads of the comparison: two of our own, and those of others. */
export const WORKLOADS: readonly Workload[] = [
  roles,
  documents,
  tinytodo,
  github,
  gdrive,
  issues,
  hospital(1),
  hospital(10),
  hospital(100),
  hospital(300),
];
