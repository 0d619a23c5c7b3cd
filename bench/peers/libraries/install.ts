import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/paths.js';
import { LIBRARIES } from './libraries.js';

/** The folder in which the packages are installed, and below which the worker is built. */
export const FOLDER = join(ROOT, '.cache', 'bench', 'libraries');

/** The list of the packages. `.ci/run` installs it, too. */
const MANIFEST = join(ROOT, 'bench/peers/libraries/package.json');

/** The version of each package. */
export const VERSIONS: { readonly [name: string]: string } = (
  JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly dependencies: { readonly [name: string]: string } }
).dependencies;

/** A library that npm could not install, with what npm said. */
export interface NotInstalled {
  readonly name: string;
  readonly reason: string;
}

/** Installs the packages without their scripts, unless they are there already. Returns those that are not. */
export function installLibraries(): readonly NotInstalled[] {
  const isMissing = ({ package: wanted }: { readonly package: string }) =>
    installedVersion(wanted) !== VERSIONS[wanted];
  if (!LIBRARIES.some(isMissing)) return [];
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(MANIFEST, join(FOLDER, 'package.json'));
  const { stderr } = spawnSync('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  const reason = stderr.trim().split('\n')[0] ?? '';
  return LIBRARIES.filter(isMissing).map(({ name }) => ({ name, reason }));
}

/** The version of a package that is installed; undefined if it is not. */
function installedVersion(name: string): string | undefined {
  const path = join(FOLDER, 'node_modules', name, 'package.json');
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
}
