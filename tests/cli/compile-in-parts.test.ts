import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { reviewedFiles } from '../../compiler/ir/emitted-file.js';
import { type Ended, filesIn, folderOf, PROGRAMS, run } from '../support/cli/programs.js';

const test = suite('authzc compile with thousands of policies');
let folder = '';
test.after.each(() => rmSync(folder, { recursive: true, force: true }));

const KINDS = 2_050;

/** The bundle of `manyPolicies`, once a test has compiled it with a temporary file. */
let bundle: string | undefined;

test('threads compile the same files as one thread', async () => {
  const policies = manyPolicies();
  folder = folderOf({ ...inFolder(policies), ...THREADS });
  const scratch = join(folder, 'scratch');
  const { code, stdout } = await runIn({ TMPDIR: scratch });
  assert.is(code, 0);
  assert.equal(readdirSync(scratch), [], 'a temporary file remains');
  assert.match(stdout, '`open` is never used');
  bundle = bundleIn(folder);
  const sources = Object.entries(policies).map(([path, text]) => new Source(path, text));
  const files = reviewedFiles(compile(sources.sort((a, b) => (a.path < b.path ? -1 : 1))).files);
  assert.equal(
    filesIn(join(folder, 'generated')),
    [...files.map(({ path }) => path), 'types.ts'].sort((a, b) => (a < b ? -1 : 1)),
  );
  for (const { path, text } of files) assert.is(readFileSync(join(folder, 'generated', path), 'utf8'), text, path);
  assert.ok(Number(readFileSync(join(folder, 'threads'), 'utf8').length) > 0, 'no thread was started');
});

test('without a temporary file, the bundle is the same', async () => {
  folder = folderOf({ ...inFolder(manyPolicies()), ...THREADS, file: '' });
  const compiledWith = async (scratch: string): Promise<string> => {
    assert.is((await runIn({ TMPDIR: join(folder, scratch) })).code, 0);
    return bundleIn(folder);
  };
  const without = await compiledWith('file');
  bundle ??= await compiledWith('scratch');
  assert.is(without, bundle);
});

test('an error in one policy is reported as by one thread', async () => {
  const policies = manyPolicies();
  const damaged = { ...policies, 'kind_2001.yaml': policies['kind_2001.yaml']?.replace('view', '""') as string };
  folder = folderOf({ ...inFolder(damaged), ...THREADS });
  const { code, stdout } = await runIn();
  assert.is(code, 3);
  assert.match(stdout, 'kind_2001.yaml');
});

test('a thread that ends is an error', async () => {
  folder = folderOf({ ...inFolder(manyPolicies()), ...THREADS });
  assert.equal(await runIn({ END_THREADS: '1' }), {
    code: 1,
    stdout: '',
    stderr: 'authzc: a thread of the compiler failed: it ended with code 7\n',
  });
});

test.run();

/** A module that is loaded into all threads: it counts them, or ends them. */
const THREADS = {
  'threads.mjs': `import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  if (process.env.END_THREADS !== undefined) process.exit(7);
  appendFileSync('threads', '.');
}`,
};

function runIn(environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = ['compile', 'policies', '--no-cache'];
  const hook = join(folder, 'threads.mjs');
  return run(PROGRAMS.authzc, options, folder, { ...environment, NODE_OPTIONS: `--import ${pathToFileURL(hook)}` });
}

function bundleIn(project: string): string {
  return readFileSync(join(project, 'dist', 'policies.js'), 'utf8');
}

function inFolder(policies: { readonly [path: string]: string }): { readonly [path: string]: string } {
  return Object.fromEntries(Object.entries(policies).map(([path, text]) => [`policies/${path}`, text]));
}

/** Policies that use shared documents, and one with a warning. */
function manyPolicies(): { readonly [path: string]: string } {
  const kinds = Array.from({ length: KINDS }, (_, index) => `kind_${String(index).padStart(4, '0')}`);
  return {
    'roles.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: roles
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
`,
    ...Object.fromEntries(kinds.map((kind, index) => [`${kind}.yaml`, policyOf(kind, index)])),
  };
}

function policyOf(kind: string, index: number): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  importDerivedRoles: [roles]
${index === 7 ? '  variables:\n    local:\n      open: "true"\n' : ''}  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      condition:
        match:
          expr: R.attr.size > ${index}
`;
}
