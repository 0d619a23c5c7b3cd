/*
 * `npm start`: refuses a version of Node that is too old before it loads what needs a newer one, in syntax that old
 * versions read.
 */
require('../packages/cli/node-version.cjs');
import('tsx').then(() => import('./start.ts'));
