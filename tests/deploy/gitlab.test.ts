import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { documentPolicy } from '../support/cli/policies.js';
import { ROOT } from '../support/compiled.js';
import { readPage, textOfFile } from '../support/docs/blocks.js';
import { type CommentServer, commentServer, foreignComment } from './comment-server.js';
import { type ReviewedProject, reviewedProject } from './reviewed-project.js';
import { LAST_RESORT } from '../support/timeout.js';

const test = suite('the GitLab job of docs/ci.md');
const projects: ReviewedProject[] = [];
let server: CommentServer;

test.before.each(async () => {
  server = await commentServer();
});
test.after.each(() => server.close());
test.after(() => {
  for (const { folder } of projects) rmSync(dirname(folder), { recursive: true, force: true });
});

const CHANGE = { 'policies/document.yaml': documentPolicy('view').replace('[user]', '[user, guest]') };

test('a merge request gets one note, which later runs replace', async () => {
  const project = changed();
  for (let id = 1; id <= 120; id += 1) server.comments.push(foreignComment(id, `${id} <!-- authzc-diff -->`));
  const first = await runJob(project);
  assert.is(first.code, 0, first.output);
  assert.match(first.output, 'comment posted');
  const again = await runJob(project);
  assert.match(again.output, 'comment replaced');
  assert.is(server.comments.length, 121);
  assert.match(server.comments[120]?.body ?? '', '### Policies: 1 widened');
  const notes = '/projects/5/merge_requests/9/notes';
  assert.equal(server.calls.slice(-4), ['GET /user', `GET ${notes}`, `GET ${notes}`, `PUT ${notes}/1120`]);
});

test('a merge request without changes of policies gets none', async () => {
  const { code, output } = await runJob(newProject({ 'README.md': 'other\n' }));
  assert.is(code, 0, output);
  assert.match(output, 'no comment: nothing changed');
});

test('without a token, as in forks, the job succeeds', async () => {
  const { code, output } = await runJob(changed(), { COMMENT_TOKEN: '' });
  assert.is(code, 0, output);
  assert.match(output, 'no comment: there is no token');
  assert.equal(server.calls, []);
});

test('a missing variable and an API that fails are errors', async () => {
  const project = changed();
  const missing = await runJob(project, { CI_PROJECT_ID: '' });
  assert.is(missing.code, 1);
  assert.match(missing.output, 'comment.mjs: the variable CI_PROJECT_ID is not set');
  const refused = await runJob(project, { COMMENT_TOKEN: 'other' });
  assert.is(refused.code, 1);
  assert.match(refused.output, /comment\.mjs: GET \S+\/user: 401 /);
});

test.run();

/** The project that tests share: a job leaves its policies as they are. */
function changed(): ReviewedProject {
  shared ??= newProject(CHANGE);
  return shared;
}

let shared: ReviewedProject | undefined;

function newProject(change: { readonly [path: string]: string }): ReviewedProject {
  const project = reviewedProject(change);
  projects.push(project);
  return project;
}

/** Runs the script as a runner does. */
function runJob(
  { folder, path, base }: ReviewedProject,
  environment: { readonly [name: string]: string } = {},
): Promise<{ readonly code: number; readonly output: string }> {
  const text = textOfFile(readPage(join(ROOT, 'docs/ci.md')), '.gitlab-ci.yml');
  const { policies } = parse(text) as { readonly policies: { readonly script: readonly string[] } };
  const env = {
    ...process.env,
    PATH: path,
    CI_API_V4_URL: server.url,
    CI_PROJECT_ID: '5',
    CI_MERGE_REQUEST_IID: '9',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
    COMMENT_TOKEN: 'secret',
    ...environment,
  };
  return new Promise((resolve) => {
    const script = policies.script.join('\n');
    execFile(
      'bash',
      ['-eo', 'pipefail', '-c', script],
      { cwd: folder, env, timeout: LAST_RESORT },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}
