import { join } from 'node:path';
import { packAll } from './packages/pack.js';

/* `npm run pack:all [-- FOLDER]`: packs all packages into FOLDER, or `dist/packages`, and prints the archives. */

const [target = join('dist', 'packages')] = process.argv.slice(2);
for (const archive of await packAll(target)) console.log(archive);
