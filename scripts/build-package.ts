import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Builds what programs import from the package: one JavaScript module, declaration file and source map per source file,
 * so that bundlers take only what is used. `#runtime/...`, which refers to sources in this repository, becomes a
 * relative path.
 */
const folder = join(process.env['AUTHZ_DIST'] ?? 'dist', 'package');

/**
 * At the beginning of a line, or as a type in a declaration: strings in the compiler look alike, but belong to
 * generated code and must stay.
 */
const IMPORT = /(^(?:import|export|\}) (?:[^'"\n]* )?(?:from )?['"]|: .*\bimport\(['"])(#runtime\/\w+)(['"])/gm;

rmSync(folder, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.package.json', '--outDir', folder],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);

const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly imports: { readonly [name: string]: string };
};
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(js|d\.ts)$/.test(file)) continue;
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const rewritten = text.replace(
    IMPORT,
    (_, before: string, name: string, after: string) => `${before}${specifier(file, name)}${after}`,
  );
  if (rewritten !== text) writeFileSync(path, rewritten);
}

/** The relative path from a file of the package to the module that `#runtime/...` is. */
function specifier(file: string, name: string): string {
  const target = imports[name];
  if (target === undefined) throw new Error(`${file} imports ${name}, which package.json does not know`);
  const path = relative(dirname(file), target.replace(/\.ts$/, '.js')).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}
