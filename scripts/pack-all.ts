import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addressesOf } from './packages/addresses.js';
import { packAll } from './packages/pack.js';

/*
 * `npm run pack:all [-- FOLDER] [--repository URL]`: packs all packages into FOLDER, or `dist/packages`, and prints the
 * archives. URL is the page of the repository, such as https://git.example.com/acme/authz: registries show it, its
 * issues and its README beside each package. Without it, packages name no address.
 */
try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { repository: { type: 'string' } } });
  const [target = join('dist', 'packages')] = positionals;
  const addresses = values.repository === undefined ? undefined : addressesOf(values.repository);
  for (const archive of await packAll(target, addresses)) console.log(archive);
  if (addresses === undefined)
    console.error('homepage, repository and bugs are left out of the packages: add them with --repository URL');
} catch (error) {
  console.error(`pack:all: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
