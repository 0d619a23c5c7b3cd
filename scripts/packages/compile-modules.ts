import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * At the beginning of a line, or as a type in a declaration: strings in the compiler look alike, but belong to
 * generated code and must stay.
 */
const IMPORT = /(^(?:import|export|\}) (?:[^'"\n]* )?(?:from )?['"]|: .*\bimport\(['"])(#runtime\/\w+)(['"])/gm;

/**
 * Compiles sources and what they import into a folder: a JavaScript module and a declaration file for each.
 * `#runtime/...`, which refers to sources in this repository, becomes a relative path.
 */
export function compileModules(sources: readonly string[], folder: string): void {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    allowImportingTsExtensions: false,
    rootDir: resolve('.'),
    outDir: resolve(folder),
    declaration: true,
    // A gate of the tests checks the types. Without the check, the same files take half the time.
    noCheck: true,
  };
  const files = sources.map((source) => resolve(source));
  writeFileSync(project, JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions, include: [], files }));
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' });

  const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly imports: { readonly [name: string]: string };
  };
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const rewritten = text.replace(
      IMPORT,
      (_, before: string, name: string, after: string) => `${before}${specifier(file, name, imports)}${after}`,
    );
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
}

/** The relative path from a module to the one that `#runtime/...` is. */
function specifier(file: string, name: string, imports: { readonly [name: string]: string }): string {
  const target = imports[name];
  if (target === undefined) throw new Error(`${file} imports ${name}, which package.json does not know`);
  const path = relative(dirname(file), target.replace(/\.ts$/, '.js')).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}
