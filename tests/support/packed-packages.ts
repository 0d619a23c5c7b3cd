import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { builtOnce } from './built-once.js';
import { ROOT } from './compiled.js';

/** The archives of the packages, in the order of `PACKAGES`: packed once for all tests of a tree. */
export function packedPackages(): readonly string[] {
  packed ??= builtOnce('packages', [], (folder) => {
    const words = ['--import', 'tsx', 'scripts/pack-all.ts', folder, '--repository', REPOSITORY];
    execFileSync(process.execPath, words, { cwd: ROOT, stdio: 'pipe' });
  });
  return archivesIn(packed);
}

let packed: string | undefined;

/** The page that the packed packages name as their repository. */
export const REPOSITORY = 'https://git.example.com/acme/authz';

function archivesIn(folder: string): readonly string[] {
  const files = readdirSync(folder);
  return PACKAGES.map(({ name }) => join(folder, files.find((file) => archiveOf(name).test(file)) ?? name));
}

/** `authzc-0.1.0.tgz` of `authzc`. */
function archiveOf(name: string): RegExp {
  return new RegExp(`^${name}-\\d.*\\.tgz$`);
}

/**
 * A folder with the packages as npm would install them from their archives: unpacked, each with its dependencies, which
 * are links to those of this repository. It is outside of the repository, whose packages would be found from
 * below it.
 */
export function unpackedPackages(): string {
  if (unpacked === undefined) {
    unpacked = join(temporaryFolder(), 'node_modules');
    unpackInto(unpacked);
  }
  return unpacked;
}

let unpacked: string | undefined;

/**
 * Unpacks the packages into a folder `node_modules` that is not there yet, and links their dependencies.
 * @param others packages of this repository's node_modules that are linked, too.
 */
export function unpackInto(modules: string, others: readonly string[] = []): void {
  // Copies take a tenth of the time that unpacking takes.
  const unpackedOnce = builtOnce('unpacked', [], unpackArchives);
  mkdirSync(modules, { recursive: true });
  for (const { name, dependencies } of PACKAGES) {
    const own = join(modules, name);
    execFileSync('cp', ['-a', join(unpackedOnce, name), own]);
    // Below the package, so that it does not find what only another one depends on.
    for (const dependency of dependencies)
      linkPackage(join(ROOT, 'node_modules', dependency), join(own, 'node_modules'), dependency);
  }
  for (const name of others) linkPackage(join(ROOT, 'node_modules', name), modules, name);
}

function unpackArchives(folder: string): void {
  for (const [index, archive] of packedPackages().entries()) {
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    renameSync(join(folder, 'package'), join(folder, PACKAGES[index]?.name ?? ''));
  }
}

/**
 * Installs what the package.json of a project names, without a registry: the packages of this repository from their
 * archives, the others from its dependencies. Returns the names of those that are in neither.
 */
export function installOffline(project: string): readonly string[] {
  const own = unpackedPackages();
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(project, 'package.json'), 'utf8'),
  ) as { readonly dependencies?: object; readonly devDependencies?: object };
  const missing: string[] = [];
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const isOwn = PACKAGES.some((definition) => definition.name === name);
    const source = join(isOwn ? own : join(ROOT, 'node_modules'), name);
    if (existsSync(source)) linkPackage(source, join(project, 'node_modules'), name);
    else missing.push(name);
  }
  return missing;
}

/** Links a package and its commands. */
function linkPackage(source: string, modules: string, name: string): void {
  const target = join(modules, name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(source, target);
  const { bin = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly bin?: string | { readonly [command: string]: string };
  };
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const [command, file] of Object.entries(typeof bin === 'string' ? { [name]: bin } : bin))
    symlinkSync(join(source, file), join(modules, '.bin', command.split('/').at(-1) ?? command));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authz-packages-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
