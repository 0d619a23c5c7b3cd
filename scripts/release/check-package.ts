import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packAll } from '../packages/pack.js';

/** As far as it is read here. */
interface Manifest {
  readonly version: string;
  readonly bin?: { readonly [name: string]: string };
  readonly exports: { readonly [entry: string]: string | { readonly [condition: string]: string } };
}

/**
 * Builds and packs the packages of a repository, unpacks them below `.cache`, and returns what is wrong with them: files
 * that are missing or too many, another version, what publint and attw report. Nothing of it is kept: what is published
 * is built again, from the tag.
 */
export async function packageProblems(root: string, version: string): Promise<readonly string[]> {
  const folder = join(root, '.cache/release');
  rmSync(folder, { recursive: true, force: true });
  try {
    const packages = (await packAll(folder)).map((archive) => unpackedFrom(archive, folder));
    const problems: string[] = packages.flatMap((each) => named(each, fileProblems(each, version)));
    // What reads the packages takes long, and would report the missing files again.
    if (problems.length > 0) return problems;
    for (const each of packages) {
      const types = Object.keys(each.manifest.exports).length > 1 ? typeProblems(root, each.archive) : [];
      problems.push(...named(each, [...(await publintProblems(each.unpacked)), ...types]));
    }
    return problems;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Package {
  /** The path of what npm installs. */
  readonly archive: string;
  /** The folder of its files. */
  readonly unpacked: string;
  readonly manifest: Manifest;
}

function unpackedFrom(archive: string, folder: string): Package {
  const unpacked = join(folder, basename(archive, '.tgz'));
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
  return { archive, unpacked, manifest: JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest };
}

function named({ archive }: Package, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${basename(archive)}: ${problem}`);
}

function fileProblems({ unpacked, manifest }: Package, version: string): readonly string[] {
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  const programs = Object.values(manifest.bin ?? {});
  const due = ['README.md', 'LICENSE', ...programs, ...entries];
  const missing = due.filter((path) => !existsSync(join(unpacked, path))).map((path) => `${path} is missing`);
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
  // Those of templates are for projects.
  const tests = files
    .filter(
      (path) => (path.endsWith('.test.ts') && !path.startsWith('examples/templates/')) || path.startsWith('tests/'),
    )
    .map((path) => `${path} must not be published`);
  const printed = programs.includes('dist/authzc.js')
    ? execFileSync(process.execPath, [join(unpacked, 'dist/authzc.js'), '--version'], { encoding: 'utf8' }).trim()
    : version;
  const versions = [manifest.version, printed]
    .filter((found) => found !== version)
    .map((found) => `the version is ${found}`);
  return [...missing, ...tests, ...versions];
}

async function publintProblems(unpacked: string): Promise<readonly string[]> {
  const { publint } = await import('publint');
  const { messages } = await publint({ pkgDir: unpacked, strict: true, pack: false });
  return messages.map(({ code, path }) => `publint: ${code} at ${path.join('.')}`);
}

function typeProblems(root: string, archive: string): readonly string[] {
  try {
    // Of the ways to import, only those of ES modules count.
    execFileSync(
      process.execPath,
      [join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'), archive, '--profile', 'esm-only'],
      { encoding: 'utf8', stdio: 'pipe' },
    );
    return [];
  } catch (error) {
    return [`attw: ${(error as { readonly stdout?: string }).stdout ?? String(error)}`];
  }
}
