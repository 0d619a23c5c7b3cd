import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../../tests/support/compiled.js';
import { EFFORT } from '../../tests/support/effort.js';
import { releasedChangelog } from './changelog.js';
import { compareVersions, VERSIONED_FILES, withVersion } from './version.js';

const parts = suite('release steps');

parts('unreleased changes move under the version, and an empty section stays', () => {
  const before =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2020-01-01\n\n- The first.\n';
  const after =
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2021-02-03\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2020-01-01\n\n- The first.\n';
  assert.is(releasedChangelog(before, '0.2.0', '2021-02-03'), after);
});

parts('an empty changelog, a missing section and an existing version are rejected', () => {
  assert.throws(
    () => releasedChangelog('## [Unreleased]\n\n## [0.1.0] - 2020-01-01\n\n- The first.\n', '0.2.0', ''),
    /has nothing under/,
  );
  assert.throws(() => releasedChangelog('## [0.1.0]\n\n- The first.\n', '0.2.0', ''), /has no section/);
  assert.throws(
    () => releasedChangelog('## [Unreleased]\n\n- A thing.\n\n## [0.1.0] - 2020-01-01\n', '0.1.0', ''),
    /has a section for 0.1.0/,
  );
});

parts('a patch release denies more, and never allows more', () => {
  const log = (...entries: readonly string[]): string =>
    `## [Unreleased]\n\n### Decisions\n\n${entries.map((entry) => `- ${entry}\n`).join('')}\n### Fixed\n\n- A bug.\n`;
  assert.ok(releasedChangelog(log('Denied: one.', 'Allowed: two.'), '1.1.0', ''));
  assert.ok(releasedChangelog(log('Denied: one.'), '1.0.1', ''));
  assert.throws(() => releasedChangelog(log('Denied: one.', 'Allowed: two.'), '1.0.1', ''), /release a minor version/);
  assert.throws(() => releasedChangelog(log('One.'), '1.1.0', ''), /begin `- One.` with `Allowed:` or `Denied:`/);
});

parts('each line with the version is replaced, and nothing else', () => {
  const file = { path: 'a.json', lines: ['  "version": "%",', '      "version": "%",'] };
  const text = '{\n  "version": "1.0.0",\n  "x": {\n      "version": "1.0.0",\n      "other": "1.0.0"\n';
  assert.is(
    withVersion(text, file, '1.0.0', '1.10.0'),
    text.replace('"1.0.0",', '"1.10.0",').replace('"1.0.0",', '"1.10.0",'),
  );
  assert.throws(() => withVersion(text, file, '2.0.0', '2.1.0'), /a.json: no line/);
});

parts('every file that contains the version is listed', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  for (const file of VERSIONED_FILES) {
    const text = readFileSync(join(ROOT, file.path), 'utf8');
    assert.is(withVersion(withVersion(text, file, version, '98.76.54'), file, '98.76.54', version), text, file.path);
  }
});

parts('versions are compared by their numbers', () => {
  const versions = ['0.9.9', '0.10.0', '1.0.0', '1.0.1', '10.0.0'];
  for (const [index, version] of versions.entries()) {
    assert.equal(
      versions.map((other) => Math.sign(compareVersions(version, other))),
      versions.map((_, at) => Math.sign(index - at)),
      version,
    );
  }
  for (const wrong of ['1.2', 'v1.2.3', '1.2.3-rc.1', '01.2.3', '1.2.3\n'])
    assert.throws(() => compareVersions(wrong, '1.0.0'), /must be a version/, wrong);
});

parts.run();

const clone = suite('npm run release, in a clone');
const folder = mkdtempSync(join(tmpdir(), 'authz-release-'));
const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
const versionIn = (path: string): string =>
  (JSON.parse(readFileSync(join(folder, path), 'utf8')) as { readonly version: string }).version;

/** One package with an entry point, and those with programs without theirs. tests/package checks the real ones. */
const SMALL_PACKAGES = `= [
  { ...LIBRARY, entries: { './runtime/policy': 'runtime/policy/index.ts' }, facades: {}, dependencies: [], optionalPeers: {} },
  { ...COMPILER, entries: {}, modules: [], dependencies: ['@grpc/grpc-js', 'esbuild', 'node-sqlite3-wasm'] },
  SERVER,
]`;

/** The program that `npm run test:full` runs in the clone. */
const GATES = 'gates.mjs';

function release(...words: readonly string[]): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/release.ts', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}` };
}

const manifest = (): string => readFileSync(join(folder, 'package.json'), 'utf8');

/** Commits another command for an npm script. */
function withScript(name: string, command: string): void {
  writeFileSync(
    join(folder, 'package.json'),
    manifest().replace(new RegExp(`"${name}": ".*",\n`), `"${name}": "${command}",\n`),
  );
  git('commit', '--quiet', '--all', '--message', `Run ${command} as ${name}`);
}

clone.before(() => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  }).split('\0');
  for (const file of files) {
    if (file === '' || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, GATES), "console.log('the gates');\n");
  const table = join(folder, 'scripts/packages/packages.ts');
  writeFileSync(table, readFileSync(table, 'utf8').replace('= [LIBRARY, COMPILER, SERVER]', SMALL_PACKAGES));
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n');
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'tests');
  git('config', 'user.email', 'tests@example.com');
  // As `node_modules/` in .gitignore is a folder only.
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All');
  withScript('test:full', `node ${GATES}`);
});

clone.after(() => rmSync(folder, { recursive: true, force: true }));

clone('invalid arguments, versions, branches and dirty trees are rejected, and nothing changes', () => {
  const head = git('rev-parse', 'HEAD');
  const refused = (expected: RegExp, code: number, ...words: readonly string[]): void => {
    const answer = release(...words);
    assert.match(answer.output, expected);
    assert.is(answer.code, code);
    assert.not.match(answer.output, 'the gates');
  };
  refused(/npm run release -- X\.Y\.Z/, 2);
  refused(/must be a version/, 1, '1.2');
  refused(/must be newer than/, 1, '0.0.1');
  writeFileSync(join(folder, 'new.txt'), '');
  refused(/not committed/, 1, '90.0.0');
  rmSync(join(folder, 'new.txt'));
  git('switch', '--quiet', '--create', 'other');
  refused(/releases are made on main/, 1, '90.0.0');
  git('switch', '--quiet', 'main');
  git('tag', 'v90.0.0');
  refused(/the tag v90\.0\.0 exists/, 1, '90.0.0');
  git('tag', '--delete', 'v90.0.0');
  assert.equal([git('status', '--porcelain'), git('rev-parse', 'HEAD')], ['', head]);
});

clone('failing gates and an invalid package stop the release and restore the tree', () => {
  const gates = readFileSync(join(folder, GATES), 'utf8');
  writeFileSync(join(folder, GATES), 'process.exit(1);\n');
  git('commit', '--quiet', '--all', '--message', 'Gates that fail');
  assert.is(release('90.0.0').code, 1);
  writeFileSync(join(folder, GATES), gates);
  git('commit', '--quiet', '--all', '--message', 'Gates that pass');
  const table = join(folder, 'scripts/packages/packages.ts');
  const packages = readFileSync(table, 'utf8');
  writeFileSync(table, packages.replace("bin: { authzc: 'authzc' }", "bin: { authzc: 'missing' }"));
  git('commit', '--quiet', '--all', '--message', 'Name a program that is not built');
  const { code, output } = release('90.0.0');
  assert.match(
    output,
    /the packages are not fit to be published:\n(.*\n)*authzc-90\.0\.0\.tgz: dist\/missing\.js is missing\n/,
  );
  assert.is(code, 1);
  assert.equal([git('status', '--porcelain'), git('tag')], ['', '']);
  writeFileSync(table, packages);
  git('commit', '--quiet', '--all', '--message', 'Name the program that is built');
});

clone('--dry-run restores the tree; a release commits the version in all files and tags it', () => {
  // The release checks the packages, which takes long.
  const check = join(folder, 'scripts/release/check-package.ts');
  const checked = readFileSync(check, 'utf8');
  writeFileSync(check, 'export const packageProblems = async (): Promise<readonly string[]> => [];\n');
  git('commit', '--quiet', '--all', '--message', 'Find no problems');
  const trial = release('90.0.0', '--dry-run');
  assert.match(trial.output, '90.0.0 can be released');
  assert.is(trial.code, 0);
  assert.equal(
    [git('status', '--porcelain'), git('tag'), versionIn('package.json')],
    ['', '', versionIn('package-lock.json')],
  );
  writeFileSync(check, checked);
  git('commit', '--quiet', '--all', '--message', 'Find problems');
  const { code, output } = release('90.0.0');
  assert.match(output, 'the gates');
  assert.is(code, 0);
  assert.is(git('status', '--porcelain'), '');
  assert.equal(
    [git('tag', '--points-at', 'HEAD'), git('cat-file', '-t', 'v90.0.0'), git('log', '-1', '--format=%s')],
    ['v90.0.0', 'tag', 'Release 90.0.0'],
  );
  assert.equal([versionIn('package.json'), versionIn('package-lock.json')], ['90.0.0', '90.0.0']);
  assert.match(readFileSync(join(folder, 'generated/manifest.json'), 'utf8'), '"generator": "authzc 90.0.0"');
  assert.match(
    readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
    /## \[Unreleased\]\n\n## \[90\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n/,
  );
  const changed = git('show', '--name-only', '--format=', 'HEAD').split('\n').toSorted();
  assert.equal(
    changed,
    [
      ...VERSIONED_FILES.map(({ path }) => path),
      'CHANGELOG.md',
      'generated/manifest.json',
      'examples/contact-api/generated/manifest.json',
    ].toSorted(),
  );
});

// It builds and packs four times, and changes rarely: .ci/run leaves it to the night.
if (EFFORT !== 'quick') clone.run();
