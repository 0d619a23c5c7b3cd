import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';

/** Tests that start the programs do not import them, so this helper counts as an importer. */
const STARTS_PROGRAMS = 'tests/support/cli/programs.ts';
const PROGRAMS = ['packages/cli/authzc.ts', 'server/main.ts'];

/** After a change of these, every test may have another result. */
const EVERYTHING = /^(package(-lock)?\.json|tsconfig\.json)$/;

/**
 * The test files that a change may concern: those that import a changed file, directly or not, and those of a suite with
 * a changed fixture. A change is what differs from the upstream branch, or from the last commit where there is none.
 *
 * @param all all test files.
 */
export async function testFilesReaching(all: readonly string[]): Promise<readonly string[]> {
  const changed = changedFiles();
  if (changed.some((file) => EVERYTHING.test(file))) return all;
  const importers = importersByFile(await importsOf(all));
  const reached = new Set<string>();
  const left = [...changed];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    left.push(...(importers.get(file) ?? []));
  }
  const fixtures = changed.flatMap(
    (file) => /^tests\/[^/]+\/(?=.)/.exec(file)?.[0] ?? (file.startsWith('docs/') ? 'tests/docs/' : []),
  );
  return all.filter((file) => reached.has(file) || fixtures.some((folder) => file.startsWith(folder)));
}

function changedFiles(): readonly string[] {
  const committed = lines('git', ['diff', '--name-only', 'HEAD', '--']);
  const added = lines('git', ['ls-files', '--others', '--exclude-standard']);
  try {
    return [...committed, ...added, ...lines('git', ['diff', '--name-only', '@{upstream}...HEAD', '--'])];
  } catch {
    return [...committed, ...added];
  }
}

async function importsOf(entries: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    entryPoints: [...entries, ...PROGRAMS],
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'nowhere',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  });
  const imports = new Map(
    Object.entries(metafile.inputs).map(([file, { imports: of }]) => [file, of.map(({ path }) => path)]),
  );
  imports.set(STARTS_PROGRAMS, [...(imports.get(STARTS_PROGRAMS) ?? []), ...PROGRAMS]);
  return imports;
}

function importersByFile(imports: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [file, targets] of imports)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  return importers;
}

function lines(program: string, options: readonly string[]): readonly string[] {
  return execFileSync(program, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter((line) => line !== '');
}
