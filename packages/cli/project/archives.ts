import { readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { version } from '../../../compiler/version.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { UsageError } from '../exit.js';

/**
 * Finds packages as archives in a folder, as `npm pack` names them. Returns a function from the name of a package to
 * what package.json says of it in place of a version: a path from the project.
 * @throws UsageError if an archive is missing.
 */
export function archivesIn(folder: string, project: string): (name: string) => string {
  const files = readdirSync(folder);
  return (name) => {
    const file = `${name}-${version}.tgz`;
    if (!files.includes(file)) throw new UsageError(`--packages \`${visible(folder)}\`: \`${file}\` is missing`);
    return `file:${relative(project, resolve(join(folder, file)))
      .split(sep)
      .join('/')}`;
  };
}
