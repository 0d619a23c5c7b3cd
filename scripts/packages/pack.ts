import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { npmProgram } from '../../tests/support/npm.js';
import type { Addresses } from './addresses.js';
import { compileModules } from './compile-modules.js';
import { PACKAGES, sourcesOf } from './packages.js';
import { stagePackage } from './stage.js';

/**
 * Builds all packages and packs each into an archive that npm can install. Returns the paths of the archives, in the
 * order of `PACKAGES`.
 * @param addresses the public addresses of the project, which the packages name; without them, they name none.
 */
export async function packAll(target: string, addresses?: Addresses): Promise<readonly string[]> {
  mkdirSync(target, { recursive: true });
  mkdirSync('.cache', { recursive: true });
  const work = mkdtempSync(join('.cache', 'pack-'));
  try {
    const compiled = join(work, 'modules');
    mkdirSync(compiled);
    compileModules(PACKAGES.flatMap(sourcesOf), compiled);
    const archives: string[] = [];
    for (const definition of PACKAGES) {
      const folder = join(work, definition.name);
      await stagePackage(definition, resolve(compiled), folder, addresses);
      const archive = execFileSync(
        process.execPath,
        [npmProgram(), 'pack', resolve(folder), '--silent', '--pack-destination', target],
        { encoding: 'utf8' },
      );
      archives.push(join(target, archive.trim()));
    }
    return archives;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
