import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TEMPLATES } from '../../packages/cli/project/template-names.js';
import { type Application, startApplication, startScript } from '../support/application.js';
import { documentPolicy } from '../support/cli/policies.js';
import { ROOT } from '../support/compiled.js';
import { nodeEnvironment, npmProgram } from '../support/npm.js';
import { installOffline, unpackedPackages } from '../support/packed-packages.js';

/** Projects that the packed `authzc init` creates: installed from the archives, type-checked, tested and started. */
const test = suite('templates');

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'authz-templates-'));
const applications: Application[] = [];
test.after(async () => {
  await Promise.all(applications.map(({ stop }) => stop()));
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Dependencies that are not installed here, because they weigh hundreds of megabytes. The handlers of these templates
 * take standard requests, so their types and tests do not need them; `npm start` does.
 */
const NOT_INSTALLED: { readonly [template: string]: readonly string[] } = {
  next: ['next'],
  workers: ['wrangler'],
};

/** The scripts for policies that have run, with the policies: most templates have the same. */
const tried = new Set<string>();

for (const template of Object.keys(TEMPLATES)) {
  test(`the template ${template} type-checks, its tests pass, and its application answers`, async () => {
    const project = join(folder, template);
    const authzc = join(unpackedPackages(), 'authzc/dist/authzc.js');
    const { stdout: created } = await run(process.execPath, [authzc, 'init', project, '--template', template]);
    assert.equal([...installOffline(project)].sort(), [...(NOT_INSTALLED[template] ?? [])].sort());
    if (template !== 'ts') linkTypeScript7(project);

    const { stdout } = await run(process.execPath, [npmProgram(), 'test'], { cwd: project, env: nodeEnvironment() });
    assert.match(stdout, 'pass 4\n');
    const policies = JSON.stringify(policiesOf(project));
    if (!tried.has(policies))
      assert.equal(await runPolicyScripts(project), [
        'authz:compile',
        'authz:check',
        'authz:coverage',
        'authz:verify',
        'authz:serve',
      ]);
    tried.add(policies);
    assert.match(created, `\n  ${curlCommands(project, '3000')[0]}\n`);
    if (NOT_INSTALLED[template] !== undefined) return;

    const application = startApplication(project);
    applications.push(application);
    const response = await fetch(`${await application.url}/documents`, { headers: { 'x-user': 'carol' } });
    assert.is(response.status, 200);
    assert.equal(await response.json(), [{ id: 'd4', owner: 'carol', team: 'sales', status: 'published' }]);
    const { port } = new URL(await application.url);
    assert.match(application.output(), `try: curl -H 'x-user: alice' http://localhost:${port}/documents\n`);
    for (const command of curlCommands(project, port)) {
      const { stdout: answer } = await run('sh', ['-c', `${command} -sS --fail`]);
      assert.match(answer, '"owner":"alice"', command);
    }
  });
}

test('every script for policies that a project had before runs', async () => {
  const project = join(folder, 'own-policies');
  mkdirSync(join(project, 'rules'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}\n');
  writeFileSync(join(project, 'rules/document.yaml'), documentPolicy('view'));
  const authzc = join(unpackedPackages(), 'authzc/dist/authzc.js');
  await run(process.execPath, [authzc, 'init', '--policies', 'rules', '--yes'], { cwd: project });
  assert.equal(installOffline(project), []);
  assert.equal(await runPolicyScripts(project), ['authz:compile', 'authz:check', 'authz:serve']);
  assert.is((await run(process.execPath, [authzc, 'run', '--', 'echo', 'hi'], { cwd: project })).stdout, 'hi\n');
  // The project has no TypeScript, so Node runs the file with the engine as it is.
  const program = `import { engine } from './src/authz.js';
    const resource = { kind: 'document', id: 'd1', attr: {} };
    console.log(engine.isAllowed({ principal: { id: 'ann', roles: ['user'] }, resource, action: 'view' }))`;
  const decided = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: project });
  assert.is(decided.stdout, 'true\n');
});

test('templates name the versions that this repository tests with', () => {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Dependencies;
  for (const part of [...Object.keys(TEMPLATES), 'project']) {
    const manifest = JSON.parse(
      readFileSync(join(ROOT, 'examples/templates', part, 'package.json'), 'utf8'),
    ) as Dependencies;
    for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const version = own.devDependencies[name];
      if (version !== undefined) assert.is(range, `^${version}`, `${part}: ${name}`);
    }
  }
});

test.run();

/** The requests that the README of a project shows, to the port at which its application listens. */
function curlCommands(project: string, port: string): readonly string[] {
  const lines = readFileSync(join(project, 'README.md'), 'utf8').split('\n');
  const commands = lines.filter((line) => line.startsWith('curl '));
  assert.is(commands.length, 2);
  return commands.map((command) => command.replace('localhost:3000', `localhost:${port}`));
}

/** Runs every script of a project that is about its policies, and returns their names. */
async function runPolicyScripts(project: string): Promise<readonly string[]> {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { readonly scripts: object };
  const names = Object.keys(scripts).filter((name) => name.startsWith('authz:'));
  for (const name of names) {
    if (name !== 'authz:serve') {
      await run(process.execPath, [npmProgram(), 'run', name], { cwd: project, env: nodeEnvironment() });
      continue;
    }
    const ports = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];
    const server = startScript(project, ['run', name, '--', ...ports], /REST and Connect on ([^,\s]+)/);
    applications.push(server);
    assert.is((await fetch(`${await server.url}/_authz/health`)).status, 200);
    assert.is((await fetch(`${await server.url}/_authz/metrics`)).status, 200);
    await server.stop();
  }
  return names;
}

/** The scripts for policies of a project, and the files that they read. */
function policiesOf(project: string): object {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { readonly scripts: object };
  const files = readdirSync(join(project, 'policies'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const texts = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [relative(project, path), readFileSync(path, 'utf8')]);
  return {
    scripts: Object.entries(scripts).filter(([name]) => name.startsWith('authz:')),
    files: texts.sort(),
  };
}

/** TypeScript 6, which the package.json names, checks the first template, and hono in walk.test.ts. Version 7 takes a tenth of the time. */
function linkTypeScript7(project: string): void {
  const command = join(project, 'node_modules/.bin/tsc');
  rmSync(command);
  symlinkSync(join(ROOT, 'node_modules/typescript-7/bin/tsc'), command);
}

interface Dependencies {
  readonly dependencies?: { readonly [name: string]: string };
  readonly devDependencies: { readonly [name: string]: string };
}
