import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PACKAGES } from '../../../scripts/packages/packages.js';
import { ROOT } from '../compiled.js';
import { PACKAGE_SOURCES } from './package-sources.js';

/** Entry points of what compiles. */
const FACADES: ReadonlySet<string> = new Set(['authz/compiler', 'authz/analysis', 'authz/mcp']);

/**
 * Installs this repository into a project as the package `authz`, like `npm install`: its exports, bundled from the
 * sources, and the command. Links the other packages of this repository next to it.
 * @param authzc the file of the built command.
 */
export async function linkPackage(project: string, authzc: string): Promise<void> {
  const modules = join(project, 'node_modules');
  const folder = join(modules, 'authz');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  // What compiles is the command here, which is already built.
  const entries = Object.entries(PACKAGE_SOURCES).filter(([name]) => name.startsWith('authz/') && !FACADES.has(name));
  const names = entries.map(([name]) => name.slice('authz/'.length));
  await build({
    entryPoints: Object.fromEntries(entries.map(([, file], index) => [names[index] as string, join(ROOT, file)])),
    outdir: folder,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: PACKAGES.flatMap(({ optionalPeers }) => Object.keys(optionalPeers)),
    logLevel: 'error',
  });
  const exports = Object.fromEntries(names.map((name) => [`./${name}`, `./${name}.js`]));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'authz', version: '0.1.0', type: 'module', exports }),
  );
  writeFileSync(join(modules, '.bin/authzc'), `#!/bin/sh\nexec "${process.execPath}" "${authzc}" "$@"\n`, {
    mode: 0o755,
  });
  for (const name of ['node-sqlite3-wasm']) linkOnce(join(ROOT, 'node_modules', name), join(modules, name));
}

function linkOnce(target: string, path: string): void {
  rmSync(path, { force: true });
  symlinkSync(target, path);
}
