import { buildPrograms } from './build-programs.js';
import { PACKAGES } from './packages/packages.js';

/** `npm run build`: the programs of all packages, in `dist`. Tests build into a separate folder. */
const folder = process.env['AUTHZ_DIST'] ?? 'dist';
await buildPrograms(Object.assign({}, ...PACKAGES.map(({ programs }) => programs)), folder, {
  threads: Object.assign({}, ...PACKAGES.map(({ threads }) => threads)),
  sourcemap: true,
});
