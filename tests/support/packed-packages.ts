import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packAll } from '../../scripts/packages/pack.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { ROOT } from './compiled.js';

/** The archives of the packages, in the order of `PACKAGES`: packed once for all tests of a process. */
export function packedPackages(): Promise<readonly string[]> {
  packed ??= packAll(temporaryFolder());
  return packed;
}

let packed: Promise<readonly string[]> | undefined;

/**
 * A folder with the packages as npm would install them from their archives: unpacked, with their dependencies beside
 * them, which are links to those of this repository.
 */
export function unpackedPackages(): Promise<string> {
  unpacked ??= unpack();
  return unpacked;
}

let unpacked: Promise<string> | undefined;

async function unpack(): Promise<string> {
  const modules = join(temporaryFolder(), 'node_modules');
  await unpackInto(modules);
  return modules;
}

/**
 * Unpacks the packages into a folder `node_modules` that is not there yet, and links their dependencies.
 * @param others packages of this repository's node_modules that are linked, too.
 */
export async function unpackInto(modules: string, others: readonly string[] = []): Promise<void> {
  const archives = await packedPackages();
  mkdirSync(modules, { recursive: true });
  for (const [index, { name }] of PACKAGES.entries()) {
    execFileSync('tar', ['-xzf', archives[index] ?? '', '-C', modules]);
    renameSync(join(modules, 'package'), join(modules, name));
  }
  for (const name of new Set([...PACKAGES.flatMap(({ dependencies }) => dependencies), ...others]))
    linkPackage(join(ROOT, 'node_modules', name), modules, name);
}

/**
 * Installs what the package.json of a project names, without a registry: the packages of this repository from their
 * archives, the others from its dependencies. Returns the names of those that are in neither.
 */
export async function installOffline(project: string): Promise<readonly string[]> {
  const own = await unpackedPackages();
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
