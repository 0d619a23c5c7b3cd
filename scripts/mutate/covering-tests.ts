import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { RUNTIME_IMPORT, runtimeModule } from '../../compiler/bundle/index.js';

/** Test files, and what each reaches. */
export interface Coverage {
  /** The tests that reach a file by their imports, the nearer before the farther, and how far each is. */
  readonly testsOf: (file: string) => ReadonlyMap<string, number>;
}

/**
 * Which tests reach which files, by their imports. A string that names a file counts as an import, too: it is how tests
 * and scripts name programs that they build or start, and the runtime that they bundle.
 *
 * @param files all TypeScript files, relative to the root.
 */
export function coverageOf(root: string, files: readonly string[]): Coverage {
  const known = new Set(files);
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const imported of importsOf(root, file, known)) {
      const of = importers.get(imported) ?? new Set();
      importers.set(imported, of.add(file));
    }
  }
  return { testsOf: (file) => inOrder(file, distancesFrom(file, importers)) };
}

function inOrder(file: string, distances: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const own = file.replace(/\.ts$/, '.test.ts');
  const rank = (test: string, distance: number): number =>
    test === own ? 0 : distance + (dirname(test) === dirname(file) ? 0 : 1);
  const tests = [...distances]
    .filter(([reached]) => reached.endsWith('.test.ts'))
    .map(([test, distance]) => [test, rank(test, distance)] as const);
  return new Map(tests.sort(([a, near], [b, far]) => near - far || (a < b ? -1 : 1)));
}

function distancesFrom(file: string, importers: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  for (const [reached, distance] of distances) {
    for (const importer of importers.get(reached) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  return distances;
}

function importsOf(root: string, file: string, known: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const named = /^(tests|scripts)\/|\.test\.ts$/.test(file)
    ? [...text.matchAll(/'([\w][\w./-]*)'/g)].map(([, name]) => name as string)
    : [];
  return [...imported.map((name) => resolved(file, name)), ...named.flatMap((name) => entriesAt(root, name))].filter(
    (path) => path !== undefined && known.has(path),
  ) as string[];
}

function resolved(file: string, name: string): string | undefined {
  if (RUNTIME_IMPORT.test(name)) return runtimeModule('runtime', name);
  return name.startsWith('.') ? posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts') : undefined;
}

/** The modules that a path from the root stands for: a file, or the parts of the runtime. */
function entriesAt(root: string, name: string): readonly string[] {
  if (name === 'runtime')
    return ['cel', 'engine', 'parts', 'policy', 'residual', 'schema'].map((part) =>
      runtimeModule('runtime', `authz/runtime/${part}`),
    );
  return name.includes('/') &&
    name.endsWith('.ts') &&
    existsSync(join(root, name)) &&
    statSync(join(root, name)).isFile()
    ? [name]
    : [];
}
