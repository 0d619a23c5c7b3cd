import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packedPackages } from '../support/packed-packages.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { documentPolicy } from '../support/cli/policies.js';
import { launch, PROGRAMS, stop } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { isRegistryReachable, nodeEnvironment, npmProgram, oldestNode } from '../support/npm.js';
import { skip } from '../support/skip.js';
import { until } from '../support/timeout.js';

/** The archives of the packages, installed by npm into empty folders, with their dependencies from the registry. */
const test = suite('installed packages');

const run = promisify(execFile);
const NODE = oldestNode();
const folder = mkdtempSync(join(tmpdir(), 'authz-installed-'));
const npm = (words: readonly string[], cwd: string) =>
  run(NODE, [npmProgram(), '--no-audit', '--no-fund', '--prefer-offline', ...words], {
    cwd,
    env: nodeEnvironment(NODE),
  });

/** What an installation may have at most, with its dependencies: bytes of all files, and packages. */
const BUDGETS: { readonly [name: string]: { readonly bytes: number; readonly packages: number } } = {
  // Two: itself and RE2.
  authz: { bytes: 3_100_000, packages: 2 },
  authzc: { bytes: 50_650_000, packages: 45 },
  'authz-server': { bytes: 35_650_000, packages: 62 },
};

/** What docs/install.md says that an installation has, with its dependencies. */
const SAID = new Map(
  [
    ...readFileSync(join(ROOT, 'docs/install.md'), 'utf8').matchAll(
      /^\| `([^`]+)` \| .+ \| ([\d.]+) MB, (\d+) packages \|$/gm,
    ),
  ].map(([, name = '', megabytes, packages]) => [name, { bytes: Number(megabytes) * 1e6, packages: Number(packages) }]),
);

/** How far the page may be off, as programs for other processors and new versions of dependencies differ in size. */
const SPREAD = 0.1;

let archives: readonly string[] = [];
test.before(() => {
  archives = packedPackages();
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Where the packages are installed, by name: the folder `node_modules`. */
const installed = new Map<string, string>();

for (const [index, { name }] of PACKAGES.entries()) {
  test(`${name} installs within its budget, and as docs/install.md says, on the oldest Node that it names`, async () => {
    const project = join(folder, `${name}-project`);
    mkdirSync(project);
    const modules = name === 'authzc' ? await installToRun(index, project) : await installInto(index, project);
    installed.set(name, modules);
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages: object;
    };
    const [budget, said] = [BUDGETS[name], SAID.get(name)];
    assert.ok(budget !== undefined && said !== undefined, `${name} has no budget, or no row in docs/install.md`);
    const found = { bytes: bytesIn(modules), packages: Object.keys(packages).length };
    assert.ok(found.bytes <= budget.bytes && found.packages <= budget.packages, `${name}: ${JSON.stringify(found)}`);
    for (const key of ['bytes', 'packages'] as const)
      assert.ok(Math.abs(found[key] / said[key] - 1) <= SPREAD, `docs/install.md, ${name}: ${JSON.stringify(found)}`);
  });
}

async function installInto(index: number, project: string): Promise<string> {
  writeFileSync(join(project, 'package.json'), '{"private": true}\n');
  await npm(['install', '--engine-strict', archives[index] ?? ''], project);
  return join(project, 'node_modules');
}

/** As `npx` does without a project: it installs the package of the command into its cache. */
async function installToRun(index: number, project: string): Promise<string> {
  const script = 'authzc init my-app && command -v authzc';
  const words = ['exec', '--yes', '--engine-strict', '--package', archives[index] ?? '', '-c', script];
  const { stdout } = await npm(words, project);
  assert.match(stdout, 'my-app/policies/document.yaml');
  assert.ok(existsSync(join(project, 'my-app/policies/document.yaml')));
  const command = stdout.trim().split('\n').at(-1) ?? '';
  return dirname(dirname(command));
}

/** Development tools of an application: the compiler, and others that have what guards, adapters and bundles work with. */
const TOOLS = ['jose', 'semver', 'hono', '@grpc/grpc-js', 'pg'];

test('a production installation of an application has what authz needs, and nothing of its development tools', async () => {
  const project = join(folder, 'application');
  mkdirSync(project);
  const [library = '', compiler = ''] = archives;
  const tools = Object.fromEntries(TOOLS.map((name) => [name, '*']));
  const manifest = {
    private: true,
    dependencies: { authz: `file:${library}` },
    devDependencies: { authzc: `file:${compiler}`, ...tools },
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  // What a developer commits. Their own installation would unpack it all, as the packages above are.
  await npm(['install', '--package-lock-only'], project);
  await npm(['ci', '--omit=dev'], project);
  const names = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.equal(names.sort(), ['authz', 're2js']);
  const budget = BUDGETS['authz']?.bytes ?? 0;
  assert.ok(bytesIn(join(project, 'node_modules')) <= budget);
});

test('a server without the client of Kafka names it when it is needed', async () => {
  const config = join(folder, 'kafka.yaml');
  writeFileSync(config, 'audit: {enabled: true, backend: kafka, kafka: {brokers: ["localhost:9"], topic: audit}}\n');
  const program = join(installed.get('authz-server') ?? '', 'authz-server/dist/server.js');
  const ended = await run(NODE, [program, '--config', config, '--bundle', await anyBundle()]).catch(
    (error: { readonly stderr: string }) => error,
  );
  assert.match(ended.stderr, 'npm install @platformatic/kafka');
});

test('authzc serves, and runs programs, without optional packages', async () => {
  const project = join(folder, 'authzc-project');
  const program = join(installed.get('authzc') ?? '', 'authzc/dist/authzc.js');
  mkdirSync(join(project, 'policies'));
  writeFileSync(join(project, 'policies/document.yaml'), documentPolicy('view'));
  const { stdout } = await run(NODE, [program, 'run', '--', 'echo', 'served'], { cwd: project });
  assert.is(stdout, 'served\n');
  const ports = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];
  const server = launch(program, ['serve', '--watch', ...ports], project);
  try {
    const [, url] = /REST and Connect on ([^,]+)/.exec(await server.firstLine) ?? [];
    assert.match(await (await fetch(`${url}/_authz/metrics`)).text(), 'process_cpu_seconds_total');
    const decide = async (): Promise<string> => {
      const body = JSON.stringify({
        principal: { id: 'ann', roles: ['user'] },
        resources: [{ resource: { kind: 'document', id: 'd1' }, actions: ['edit'] }],
      });
      return (await fetch(`${url}/api/check/resources`, { method: 'POST', body })).text();
    };
    assert.match(await decide(), 'EFFECT_DENY');
    // As editors and git save: another file is renamed onto the old one, more than once.
    for (const action of ['edit', 'view', 'edit']) {
      writeFileSync(join(project, 'saved.tmp'), documentPolicy(action));
      renameSync(join(project, 'saved.tmp'), join(project, 'policies/document.yaml'));
      const expected = action === 'edit' ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
      await until(async () => (await decide()).includes(expected), `${action} is ${expected}`);
    }
  } finally {
    await stop(server);
  }
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
