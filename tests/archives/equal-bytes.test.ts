import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { folderOf, PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

/** Archives that each supported version of Node builds from the same policies. */
const test = suite('archives of several versions of Node');

const VERSIONS = ['20', '24', '26'];
const CACHE = join(ROOT, '.cache');
const folders = existsSync(CACHE) ? readdirSync(CACHE) : [];
const binaries = new Map(
  VERSIONS.flatMap((version) => {
    const folder = folders.find((name) => name.startsWith(`node-${version}.`));
    const modules = join(CACHE, folder ?? '', 'node_modules');
    const platform =
      folder === undefined || !existsSync(modules)
        ? undefined
        : readdirSync(modules).find((name) => existsSync(join(modules, name, 'bin/node')));
    return platform === undefined ? [] : [[version, join(modules, platform, 'bin/node')] as const];
  }),
);
const missing = VERSIONS.filter((version) => !binaries.has(version));
if (missing.length > 0) skip(import.meta.url, `Node ${missing.join(', ')} is not installed (.cache/node-VERSION)`);

const folder = folderOf({
  'policies/document.yaml': documentPolicy('view'),
  'policies/_schemas/document.json': '{"type": "object", "properties": {"title": {"type": "string"}}}',
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** The digest of the archive that a Node builds, and the version that it says it has. */
function built(node: string, name: string, ...flags: readonly string[]): readonly [digest: string, version: string] {
  const file = join(folder, `${name}.authzbundle`);
  const words = [
    'bundle',
    'policies',
    '--out',
    file,
    '--sequence',
    '7',
    '--not-after',
    '2100-01-01T00:00:00Z',
    ...flags,
  ];
  execFileSync(node, [PROGRAMS.authzc, ...words, '--builder', 'ci'], { cwd: folder, stdio: 'pipe' });
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  return [digest, execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1, 3)];
}

for (const flags of [[], ['--explain'], ['--checks-only']])
  test(`have equal bytes (${flags.join(' ') || 'without flags'})`, () => {
    const found = [...binaries].map(([version, node]) => [version, ...built(node, version, ...flags)] as const);
    for (const [version, , own] of found) assert.is(own, version);
    const [own] = built(process.execPath, 'own', ...flags);
    assert.equal(
      found.map(([version, digest]) => [version, digest]),
      found.map(([version]) => [version, own]),
    );
  });

test.run();
