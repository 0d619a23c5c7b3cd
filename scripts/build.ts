import { buildPrograms } from './build-programs.js';
import { PACKAGES } from './packages/packages.js';

/**
 * `npm run build`: the programs of all packages, in `dist`. Tests build into a separate folder, and with more entry points
 * than are shipped: the arguments, as NAME=SOURCE.
 */
const folder = process.env['AUTHZ_DIST'] ?? 'dist';
const others = process.argv.slice(2).map((word) => word.split('='));
const programs = Object.assign(Object.fromEntries(others), ...PACKAGES.map((definition) => definition.programs));
await buildPrograms(programs, folder, {
  threads: Object.assign({}, ...PACKAGES.map(({ threads }) => threads)),
  sourcemap: true,
});
