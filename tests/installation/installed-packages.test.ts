import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packedPackages } from '../support/packed-packages.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { isRegistryReachable, nodeEnvironment, npmProgram } from '../support/npm.js';
import { skip } from '../support/skip.js';

/** The archives of the packages, installed by npm into empty folders, with their dependencies from the registry. */
const test = suite('installed packages');

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'authz-installed-'));
const npm = (words: readonly string[], cwd: string) =>
  run(process.execPath, [npmProgram(), '--no-audit', '--no-fund', '--prefer-offline', ...words], {
    cwd,
    env: nodeEnvironment(),
  });

/** What an installation may have at most, with its dependencies: bytes of all files, and packages. */
const BUDGETS: { readonly [name: string]: { readonly bytes: number; readonly packages: number } } = {
  authz: { bytes: 2_350_000, packages: 3 },
  authzc: { bytes: 48_750_000, packages: 45 },
  'authz-server': { bytes: 35_250_000, packages: 62 },
};

let archives: readonly string[] = [];
test.before(() => {
  archives = packedPackages();
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

for (const [index, { name }] of PACKAGES.entries()) {
  test(`${name} installs within its budget, on the oldest Node that it names`, async () => {
    const project = join(folder, `${name}-project`);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"private": true}\n');
    await npm(['install', '--engine-strict', archives[index] ?? ''], project);
    const installed = join(project, 'node_modules');
    const { packages } = JSON.parse(readFileSync(join(installed, '.package-lock.json'), 'utf8')) as {
      readonly packages: object;
    };
    const budget = BUDGETS[name];
    assert.ok(budget !== undefined);
    const found = { bytes: bytesIn(installed), packages: Object.keys(packages).length };
    assert.ok(found.bytes <= budget.bytes && found.packages <= budget.packages, `${name}: ${JSON.stringify(found)}`);
  });
}

test('a server without the client of Kafka names it when it is needed', async () => {
  const config = join(folder, 'kafka.yaml');
  writeFileSync(config, 'audit: {enabled: true, backend: kafka, kafka: {brokers: ["localhost:9"], topic: audit}}\n');
  const program = join(folder, 'authz-server-project/node_modules/authz-server/dist/server.js');
  const ended = await run(process.execPath, [program, '--config', config, '--bundle', await anyBundle()]).catch(
    (error: { readonly stderr: string }) => error,
  );
  assert.match(ended.stderr, 'npm install @platformatic/kafka');
});

test('authzc runs from its archive, without a project', async () => {
  const home = join(folder, 'elsewhere');
  mkdirSync(home);
  const { stdout } = await npm(
    ['exec', '--yes', '--package', archives[1] ?? '', '--', 'authzc', 'init', 'my-app'],
    home,
  );
  assert.match(stdout, 'my-app/policies/document.yaml');
  assert.ok(existsSync(join(home, 'my-app/policies/document.yaml')));
});

async function anyBundle(): Promise<string> {
  const file = join(folder, 'policies.js');
  await run(process.execPath, [PROGRAMS.authzc, 'compile', join(ROOT, 'policies'), '--bundle', file], { cwd: folder });
  return file;
}

if (await isRegistryReachable()) test.run();
else skip(import.meta.url, 'the package registry cannot be reached');

function bytesIn(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
