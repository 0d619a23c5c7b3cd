import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/paths.js';
import { LIBRARIES } from './libraries.js';

/** The folder in which the packages are installed, and below which the worker is built. */
export const FOLDER = join(ROOT, '.cache', 'bench', 'libraries');

/** A library that npm could not install, with what npm said. */
export interface NotInstalled {
  readonly name: string;
  readonly reason: string;
}

/** Installs the packages without their scripts, one after the other: one that fails does not keep others away. */
export function installLibraries(): readonly NotInstalled[] {
  mkdirSync(FOLDER, { recursive: true });
  const manifest = join(FOLDER, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ private: true, type: 'module' }));
  return LIBRARIES.flatMap(({ name, package: wanted, version }) => {
    if (installedVersion(wanted) === version) return [];
    const { status, stderr } = spawnSync(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', `${wanted}@${version}`],
      { cwd: FOLDER, encoding: 'utf8' },
    );
    return status === 0 ? [] : [{ name, reason: stderr.trim().split('\n')[0] ?? '' }];
  });
}

/** The version of a package that is installed; undefined if it is not. */
function installedVersion(name: string): string | undefined {
  const path = join(FOLDER, 'node_modules', name, 'package.json');
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
}
