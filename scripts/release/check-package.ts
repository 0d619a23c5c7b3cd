import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { npmProgram } from '../../tests/support/npm.js';

/** As far as it is read here. */
interface Manifest {
  readonly version: string;
  readonly bin: { readonly [name: string]: string };
  readonly exports: { readonly [entry: string]: string | { readonly [condition: string]: string } };
}

/**
 * Builds and packs the package of a repository, unpacks it below `.cache`, and returns what is wrong with it: files
 * that are missing or too many, another version, what publint and attw report. Nothing of it is kept: what is published
 * is built again, from the tag.
 */
export async function packageProblems(root: string, version: string): Promise<readonly string[]> {
  const folder = join(root, '.cache/release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync(process.execPath, [npmProgram(), 'pack', '--silent', '--pack-destination', folder], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const archive = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    const unpacked = join(folder, 'package');
    return [...fileProblems(unpacked, version), ...(await publintProblems(unpacked)), ...typeProblems(root, archive)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fileProblems(unpacked: string, version: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  const due = ['README.md', 'LICENSE', ...Object.values(manifest.bin), ...entries];
  const missing = due.filter((path) => !existsSync(join(unpacked, path))).map((path) => `${path} is missing`);
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
  const tests = files
    .filter((path) => path.endsWith('.test.ts') || path.startsWith('tests/'))
    .map((path) => `${path} must not be published`);
  const printed = execFileSync(process.execPath, [join(unpacked, manifest.bin['authzc'] ?? ''), '--version'], {
    encoding: 'utf8',
  }).trim();
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
