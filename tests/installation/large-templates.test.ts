import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Application, startScript } from '../support/application.js';
import { ROOT } from '../support/compiled.js';
import { isRegistryReachable, npmProgram } from '../support/npm.js';
import { packedPackages, unpackedPackages } from '../support/packed-packages.js';
import { skip } from '../support/skip.js';

/** The templates whose frameworks weigh hundreds of megabytes: npm installs them, and every script of theirs runs. */
const test = suite('large templates');

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'authz-large-templates-'));
const applications: Application[] = [];
test.after(async () => {
  await Promise.all(applications.map(({ stop }) => stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** Wrangler needs a newer Node than authz. */
const NODE_22 = join(ROOT, '.cache/runtimes/node-22');
const isNodeNew = Number(process.versions.node.split('.')[0]) >= 24;

test('the template next builds and serves', async () => {
  const project = await installed('next', environment(process.execPath));
  const settings = (): string => readFileSync(join(project, 'tsconfig.json'), 'utf8');
  const before = settings();
  const built = await npm(project, ['run', 'build'], environment(process.execPath));
  // Next.js adds what it misses, and a new project should not change by being built.
  assert.is(settings(), before);
  assert.match(built, '/documents/[id]');
  await answers(project, /Local:\s+(\S+)$/, ['start'], environment(process.execPath));
});

test('the template workers serves, and its deployment is complete', async () => {
  if (!isNodeNew && !existsSync(NODE_22)) return skip(import.meta.url, 'Node 22 is not installed (.ci/run does)');
  // The link has another name than the program.
  const node = isNodeNew ? process.execPath : realpathSync(NODE_22);
  const project = await installed('workers', environment(node));
  const deployed = await npm(project, ['run', 'deploy', '--', '--dry-run'], environment(node));
  assert.match(deployed, /Total Upload: [\s\S]*--dry-run: exiting now/);
  await answers(project, /Ready on (\S+)$/, ['start', '--', '--ip', '127.0.0.1', '--port', '0'], environment(node));
});

if (await isRegistryReachable()) test.run();
else skip(import.meta.url, 'the package registry cannot be reached');

/** The environment of a project in which `node` is a program, and which nothing is told of. */
function environment(node: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env['PATH']}`,
    NEXT_TELEMETRY_DISABLED: '1',
    WRANGLER_SEND_METRICS: 'false',
    CI: '1',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/** A new project of a template with its dependencies. */
async function installed(template: string, env: NodeJS.ProcessEnv): Promise<string> {
  const project = join(folder, template);
  const authzc = join(unpackedPackages(), 'authzc/dist/authzc.js');
  const [archive = ''] = packedPackages();
  await run(process.execPath, [authzc, 'init', project, '--template', template, '--packages', dirname(archive)]);
  await npm(project, ['install', '--ignore-scripts'], env);
  return project;
}

async function npm(project: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run('node', [npmProgram(), ...words], { cwd: project, env, maxBuffer: 2 ** 26 });
  return stdout;
}

/** Starts the application of a project, and asks it for the documents of a person. */
async function answers(
  project: string,
  address: RegExp,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const application = startScript(project, words, address, env);
  applications.push(application);
  const response = await fetch(`${await application.url}/documents`, { headers: { 'x-user': 'carol' } });
  assert.is(response.status, 200);
  assert.equal(await response.json(), [{ id: 'd4', owner: 'carol', team: 'sales', status: 'published' }]);
  await application.stop();
}
