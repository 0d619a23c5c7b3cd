import { agents } from './agents.js';
import { albums } from './albums.js';
import { blank } from './blank.js';
import { delegation } from './delegation.js';
import type { Example } from './example.js';
import { hierarchy } from './hierarchy.js';
import { roles } from './roles.js';
import { sharing } from './sharing.js';
import { tenants } from './tenants.js';
import { timeBoxed } from './time-boxed.js';

/** What the playground shows at first. */
export const FIRST: Example = albums;

/** The examples, in the order of the list. */
export const GALLERY: readonly Example[] = [
  albums,
  roles,
  tenants,
  sharing,
  timeBoxed,
  hierarchy,
  delegation,
  agents,
  blank,
];
