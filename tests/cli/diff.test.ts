import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DiffReport } from '../../packages/analysis/diff/report.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf, PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { newRepository, type Repository } from '../support/git-repository.js';

const test = suite('authzc diff');

const RULE = {
  public: 'R.attr.visibility == "public"',
  rewritten: '!(R.attr.visibility != "public")',
  more: 'R.attr.visibility == "public" || R.attr.visibility == "family"',
  other: 'R.attr.visibility == "family"',
};

/** A policy with one rule that has a condition. */
function album(condition: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - name: audience
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: '${condition}'}}
`;
}

/** A solver that decides nothing. */
const UNSURE = `let query = '';
for await (const chunk of process.stdin) query += chunk;
for (const [, echo] of query.matchAll(/\\(echo "([^"]*)"\\)|\\(check-sat\\)/g)) console.log(echo ?? 'unknown');
`;

/** Added to it: all but the first query take a while, and can be waited for. */
const SLOW = `import { writeFileSync } from 'node:fs';
if (!query.includes('ready')) {
  writeFileSync('asked', '');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
`;

let repository: Repository;
let temporary = '';
test.before.each(() => {
  repository = newRepository();
  temporary = mkdtempSync(join(tmpdir(), 'authz-tmp-'));
  repository.commit({ 'policies/album.yaml': album(RULE.public) });
});
test.after.each(() => {
  repository.remove();
  rmSync(temporary, { recursive: true, force: true });
});

test('a range compares a revision with the working tree; nothing is left in the temporary folder', async () => {
  repository.write({ 'policies/album.yaml': album(RULE.more) });
  const { code, stdout, stderr } = await diff('main..');
  assert.is(stderr, '');
  assert.is(code, 1);
  assert.match(stdout, /^album\n {2}WIDENED {3}view {3}roles: user\n {4}alice \[user\] may view album r1 now\n/);
  assert.match(stdout, /\n {6}resource {3}\{"kind":"album","id":"r1","attr":\{"visibility":"family"\}\}\n/);
  assert.match(
    stdout,
    /\n {6}before {5}DENY {3}no rule allows\n {6}after {6}ALLOW {2}audience, policies\/album\.yaml:6:7\n/,
  );
  assert.match(stdout, /\n {4}because {2}audience, policies\/album\.yaml:\d+:\d+ .*\n/);
  assert.match(stdout, /\n {4}not narrowed: proved\n/);
  assert.equal(readdirSync(temporary), []);
});

test('the report tells what decisions read now and did not: of resources, principals and claims, and at each scope', async () => {
  const condition = '(R.attr.visibility == "public" && P.attr.team == "a") || request.auxData.jwt.admin';
  const scoped = album(RULE.other).replace('version: default', 'version: default\n  scope: acme');
  repository.commit({
    'policies/acme.yaml': album(RULE.public).replace('version: default', 'version: default\n  scope: acme'),
  });
  repository.write({
    'policies/album.yaml': album(condition),
    'policies/acme.yaml': scoped.replace('visibility', 'region'),
  });
  const { stdout } = await diff('main..');
  assert.match(
    stdout,
    /\nwhat decisions read\n {2}album: view now also reads `principal\.attr\.team` \(policies\/album\.yaml:10\)\n {2}album: view now also reads `auxData\.jwt\.admin` \(policies\/album\.yaml:10\)\n/,
  );
  assert.match(stdout, '\n  album scope acme: view now also reads `resource.attr.region` (policies/acme.yaml:11)\n');
  const { reads } = await reportOf('main..');
  assert.equal(
    reads.map(({ kind, path }) => `${kind} ${path}`),
    [
      'album principal.attr.team',
      'album auxData.jwt.admin',
      'album scope acme resource.attr.region',
      'album scope acme principal.attr.team',
      'album scope acme auxData.jwt.admin',
    ],
  );
  repository.write({
    'policies/album.yaml': album(RULE.public),
    'policies/acme.yaml': album(RULE.public).replace('version: default', 'version: default\n  scope: acme'),
  });
  assert.not.match((await diff('main..')).stdout, 'reads');
});

test('both sides can be folders, revisions, and folders of revisions', async () => {
  repository.commit({ 'policies/album.yaml': album(RULE.more), 'moved/album.yaml': album(RULE.more) });
  repository.write({ 'policies/album.yaml': album(RULE.other) });
  assert.equal(await verdict('HEAD~1..main'), ['widened', 'git:HEAD~1:policies', 'git:main:policies']);
  assert.equal(await verdict('HEAD~1', 'main'), ['widened', 'git:HEAD~1:policies', 'git:main:policies']);
  assert.equal(await verdict('..HEAD~1'), ['narrowed', 'git:HEAD:policies', 'git:HEAD~1:policies']);
  assert.equal(await verdict('main..'), ['narrowed', 'git:main:policies', 'policies']);
  assert.equal(await verdict('HEAD~1', 'policies'), ['mixed', 'git:HEAD~1:policies', 'policies']);
  assert.equal(await verdict('policies', 'moved'), ['widened', 'policies', 'moved']);
  assert.equal(await verdict('main:moved', 'main'), ['unchanged', 'git:main:moved', 'git:main:policies']);
  assert.equal(await verdict('HEAD~1:policies..main:moved/'), ['widened', 'git:HEAD~1:policies', 'git:main:moved']);
  assert.equal(await verdict('main..', '--dir', 'moved'), ['unchanged', 'git:main:moved', 'moved']);
});

test('a folder is never taken for a revision, nor for a range', async () => {
  repository.write({ 'main/album.yaml': album(RULE.more), 'a..b/album.yaml': album(RULE.public) });
  assert.equal(await verdict('main', 'a..b'), ['narrowed', 'main', 'a..b']);
});

test('in a folder of the repository --dir and REV:./PATH are relative to it, and REV:PATH is not', async () => {
  repository.commit({ 'services/photos/policies/album.yaml': album(RULE.more) });
  const run = (...args: readonly string[]): Promise<readonly string[]> =>
    verdict(...args, { folder: join(repository.folder, 'services/photos') });
  assert.equal(await run('main..'), ['unchanged', 'git:main:services/photos/policies', 'policies']);
  assert.equal(await run('main:./policies', 'policies'), [
    'unchanged',
    'git:main:services/photos/policies',
    'policies',
  ]);
  assert.equal(await run('main:../../policies', 'policies'), ['widened', 'git:main:policies', 'policies']);
  assert.equal(await run('main:policies', 'policies'), ['widened', 'git:main:policies', 'policies']);
  const outside = await diff('main..', '--dir', '../policies');
  assert.equal([outside.code, outside.stderr], [1, 'authzc: `./../policies` is outside of the repository\n']);
});

test('a rule that is written in another way is proved unchanged, also if it moved to another file', async () => {
  repository.git('mv', 'policies/album.yaml', 'policies/photos.yaml');
  repository.write({ 'policies/photos.yaml': `# A comment\n${album(RULE.rewritten)}` });
  const { code, stdout } = await diff('main..');
  assert.is(code, 0);
  assert.match(stdout, /^\d+ rows of [a-z, ]+: all unchanged\n$/);
});

test('--fail-on says what fails', async () => {
  for (const [condition, failing, expected] of [
    [RULE.rewritten, 'widened,narrowed,undecided', 0],
    [RULE.more, 'widened', 1],
    [RULE.more, 'narrowed,undecided', 0],
    ['false', 'narrowed', 1],
    [RULE.other, 'none', 0],
  ] as const) {
    repository.write({ 'policies/album.yaml': album(condition) });
    const { code, stderr } = await diff('main..', '--fail-on', failing);
    assert.equal([code, stderr], [expected, ''], `${condition} ${failing}`);
  }
});

test('a side without policies is compared with nothing', async () => {
  repository.write({ 'empty/README.md': '' });
  assert.equal(await verdict('empty', 'policies'), ['widened', 'empty', 'policies']);
  assert.equal(await verdict('policies', 'empty'), ['narrowed', 'policies', 'empty']);
  const { code, stdout } = await diff('empty', 'empty');
  assert.equal([code, stdout], [0, '0 rows of kind, version, scope and action: nothing to compare\n']);
});

test('sets that do not compile are both shown, with the side before each path', async () => {
  repository.commit({ 'policies/album.yaml': album('R.attr.visibility ==') });
  repository.write({ 'policies/album.yaml': album('nobody()') });
  const { code, stdout, stderr } = await diff('main..');
  assert.equal([code, stdout], [3, '']);
  assert.match(stderr, /^old:policies\/album\.yaml:10:\d+: error\[/);
  assert.match(stderr, /\nnew:policies\/album\.yaml:10:\d+: error\[/);
  assert.not.match(stderr, /warning/);
  const one = await diff('main', 'HEAD~1', '--output', 'list');
  assert.is(one.code, 3);
  assert.match(one.stderr, /^old:policies\/album\.yaml:10:\d+: error\[[^\n]*\n$/);
});

test('arguments that do not name two sets are wrong, and say what is right', async () => {
  repository.git('branch', 'feature');
  for (const [args, message] of [
    [['main'], 'diff compares two sets of policies; got one, `main`'],
    [['policies'], 'diff compares two sets of policies; got one, `policies`'],
    [['main...feature'], '`main...feature` is not a range of policies: write two dots'],
    [['main..', 'policies'], '`main..` is a range, which names both sets'],
    [['main', 'a', 'b'], 'unexpected argument `b`'],
    [[], 'missing required argument `old`'],
    [['main..', '--effort', '6'], 'must be a number from 1 to 5'],
    [['main..', '--timeout', '5'], 'must be a duration such as 60s'],
    [['main..', '--fail-on', 'changed'], 'must be a list of widened, narrowed, undecided, also-changed; or none'],
    [['main..', '--output', 'html'], 'must be one of pretty, list, json, markdown'],
  ] as const) {
    const { code, stdout, stderr } = await diff(...args);
    assert.equal([code, stdout], [2, ''], stderr);
    assert.ok(stderr.includes(message), stderr);
  }
  const { code, stderr } = await diff('main..', '--globals', 'none.yaml');
  assert.equal([code, stderr], [1, 'none.yaml: error: file not found\n']);
});

test('a revision, a folder or git that is missing is an error on one line', async () => {
  const outside = mkdtempSync(join(temporary, 'outside-'));
  for (const [args, message, more] of [
    [['mainn..'], 'no revision `mainn` (did you mean `main`?)', {}],
    [['main..', '--dir', 'polices'], '`main` has no folder `polices`; --dir names the folder of the policies', {}],
    [['main:polices', 'policies'], '`main` has no folder `polices`; --dir names the folder of the policies', {}],
    [['HEAD..', '--dir', 'policies/album.yaml'], '`policies/album.yaml` is not a folder in `HEAD`, but a file', {}],
    [['main..'], '`main` is not a folder, and this is not a git repository', { folder: outside }],
    [['main..'], 'git was not found; install it, or compare folders', { path: outside }],
  ] as const) {
    const { code, stdout, stderr } = await diff(...args, more);
    assert.equal([code, stdout, stderr], [1, '', `authzc: ${message}\n`]);
  }
});

test('a deleted working tree folder is an error', async () => {
  rmSync(join(repository.folder, 'policies'), { recursive: true });
  const { code, stderr } = await diff('main..');
  assert.equal(
    [code, stderr],
    [
      1,
      'authzc: policy directory `policies` does not exist; name the folder of the policies, or create one with `authzc init`\n',
    ],
  );
});

test('policies that are read from links, hostile names and files that are too large are judged as in a folder', async () => {
  repository.commit({ 'policies/-o --help.yaml': album(RULE.public).replaceAll('album', 'photo') });
  repository.git('mv', 'policies/album.yaml', 'policies/a\nb.yaml');
  repository.commit();
  assert.equal(await verdict('main..'), ['unchanged', 'git:main:policies', 'policies']);
  repository.commit({ 'policies/large.yaml': '#'.repeat(5 * 1024 * 1024) });
  const { code, stderr } = await diff('main..HEAD~1');
  assert.is(code, 3);
  assert.match(stderr, /^old:policies\/large\.yaml: error\[file\/too-large\]/);
});

test('names of policies do not act on terminals', async () => {
  const hostile = (effect: string): string =>
    album(RULE.public).replace('[view]', String.raw`["\e[2J\u202e"]`).replace('EFFECT_ALLOW', effect);
  repository.write({ 'policies/album.yaml': hostile('EFFECT_ALLOW') });
  for (const output of ['pretty', 'list', 'json', 'markdown']) {
    const { code, stdout } = await diff('main..', '--output', output);
    assert.is(code, 1);
    assert.not.match(stdout, /[\u001b\u202e]/, output);
    assert.match(stdout, /\\x1b|\\u001b/, output);
  }
});

test('the options of the engine come from flags and from a configuration', async () => {
  repository.write({
    'policies/album.yaml': album(`${RULE.public} || G.open == true`),
    'globals.yaml': 'open: false\n',
    'authz.yaml': 'engine: {globals: {open: false}}\n',
    'strict.yaml': 'engine: {strictEvaluation: true}\n',
  });
  assert.equal((await verdict('main..'))[0], 'widened');
  assert.not.match((await verdict('main..', '--globals', 'globals.yaml'))[0] ?? '', /^widened/);
  assert.not.match((await verdict('main..', '--config', 'authz.yaml'))[0] ?? '', /^widened/);
  const strict = await diff('main..', '--config', 'strict.yaml');
  assert.is(strict.code, 2);
  assert.is(
    strict.stderr,
    'strict.yaml: error: strict evaluation is not supported yet: proofs assume default evaluation\n',
  );
});

test('schemas narrow what is compared if they are enforced', async () => {
  const withSchema = (condition: string): string =>
    `${album(condition)}  schemas: {resourceSchema: {ref: "authz:///album.json"}}\n`;
  const schema = '{"type": "object", "properties": {"visibility": {"enum": ["public", "private"]}}}';
  repository.commit({ 'policies/album.yaml': withSchema(RULE.public), 'policies/_schemas/album.json': schema });
  repository.write({ 'policies/album.yaml': withSchema(RULE.more), 'authz.yaml': 'schema: {enforcement: reject}\n' });
  assert.equal((await verdict('main..'))[0], 'widened');
  assert.equal((await verdict('main..', '--schemas', 'ignore', '--config', 'authz.yaml'))[0], 'widened');
  for (const flags of [
    ['--schemas', 'enforce'],
    ['--config', 'authz.yaml'],
  ])
    assert.not.equal((await verdict('main..', ...flags))[0], 'widened');
});

test('what comparisons mean is for the solver, which can be left out, replaced or recorded', async () => {
  repository.commit({ 'policies/album.yaml': album('R.attr.size < 5') });
  repository.write({ 'policies/album.yaml': album('R.attr.size < 10') });
  assert.equal((await verdict('main..', '--smt', 'queries'))[0], 'widened');
  const queries = readdirSync(join(repository.folder, 'queries'));
  assert.ok(queries.length > 0 && queries.every((name) => /^[0-9a-f]{64}\.smt2$/.test(name)), `${queries}`);

  const without = await diff('main..', '--no-solver', '--action', 'view');
  assert.match(without.stdout, /\n {4}narrowing: not decided, it needs the solver\n/);
  assert.match(
    without.stdout,
    /\nnote: 1 row undecided; install z3-solver to decide most of them: npm install --save-dev z3-solver\n$/,
  );

  repository.write({ 'unsure.mjs': UNSURE });
  const unsure = await diff('main..', '--solver', `${process.execPath} unsure.mjs`);
  assert.match(unsure.stdout, /\n {4}narrowing: not decided, the solver reached its limit\n/);

  const other = await diff('main..', '--solver', 'cat');
  assert.equal([other.code, other.stdout], [1, '']);
  assert.is(other.stderr, 'authzc: `cat` does not answer sat, unsat or unknown to a query\n');
});

test('kinds, actions and scopes narrow what is looked at, and the report says so', async () => {
  repository.write({
    'policies/album.yaml': album(RULE.more),
    'policies/photo.yaml': album(RULE.more).replaceAll('album', 'photo'),
  });
  const { rows } = await reportOf('main..', '--kind', 'ph*');
  assert.equal([...new Set(rows.map(({ kind }) => kind))], ['photo']);
  const { stdout } = await diff('main..', '--action', 'view', '--scope', '');
  assert.match(stdout, /^only action view, scope ""\n/m);
  const none = await diff('main..', '--action', 'veiw');
  assert.equal([none.code, none.stdout], [1, '']);
  assert.is(none.stderr, 'authzc: no policy covers action `veiw`: did you mean `view`?\n');
});

test('outputs and schemas that changed fail only if they are named', async () => {
  const output = (text: string): string =>
    album(RULE.more).replace(
      'effect: EFFECT_ALLOW',
      `effect: EFFECT_ALLOW\n      output: {when: {ruleActivated: '"${text}"'}}`,
    );
  repository.write({ 'before/album.yaml': output('a'), 'after/album.yaml': output('b') });
  const same = await diff('before', 'after');
  assert.equal([same.code, same.stderr], [0, '']);
  assert.match(same.stdout, /^also changed, and not compared\n {2}output /m);
  assert.is((await diff('before', 'after', '--fail-on', 'also-changed')).code, 1);
  assert.is((await diff('before', 'before', '--fail-on', 'also-changed')).code, 0);
  assert.is((await diff('before', 'after', '--fail-on', 'also')).code, 2);
});

test('when the time is over, rows are left undecided and the report is complete', async () => {
  repository.write({ 'policies/album.yaml': album(RULE.more) });
  const report = await reportOf('main..', '--timeout', '1ms');
  assert.ok(report.rows.some(({ widened }) => widened.answer === '?' && widened.reason === 'time'));
  assert.is((await diff('main..', '--timeout', '1ms', '--fail-on', 'widened')).code, 0);
  assert.is((await diff('main..', '--timeout', '1ms', '--fail-on', 'undecided')).code, 1);
});

test('a signal while git runs ends the command and removes the temporary folder', async () => {
  const bin = join(temporary, 'bin');
  mkdirSync(bin);
  const mark = join(temporary, 'mark');
  const script = `#!/bin/sh\nPATH="${process.env['PATH']}"\n[ "$1" != cat-file ] || { touch "${mark}"; exec sleep 60; }\nexec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const child = spawn(process.execPath, [PROGRAMS.authzc, 'diff', 'main..'], {
      cwd: repository.folder,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise<readonly unknown[]>((resolve) => child.on('close', (code, by) => resolve([code, by])));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    while (!filesIn(temporary).includes('mark')) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.is(readdirSync(temporary).filter((name) => name.startsWith('authzc-')).length, 1);
    child.kill(signal);
    assert.equal(await ended, [1, null]);
    assert.is(said, 'authzc: interrupted\n');
    rmSync(mark);
    assert.equal(readdirSync(temporary), ['bin']);
  }
});

test('a signal while rows are compared ends the run with a report of what is known', async () => {
  repository.commit({ 'policies/album.yaml': album('R.attr.size < 5') });
  repository.write({ 'policies/album.yaml': album('R.attr.size < 10'), 'slow.mjs': `${UNSURE}${SLOW}` });
  const child = spawn(
    process.execPath,
    [PROGRAMS.authzc, 'diff', 'main..', '--solver', `${process.execPath} slow.mjs`],
    {
      cwd: repository.folder,
      env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk.toString('utf8');
    });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  while (!filesIn(repository.folder).includes('asked')) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  assert.is(await ended, 1);
  assert.is(output.stderr, 'authzc: interrupted\n');
  assert.match(
    output.stdout,
    /^album\n {2}WIDENED {3}view {3}roles: user\n[\s\S]*\n {4}narrowing: not decided, .*\n[\s\S]*\d rows of [a-z, ]+: /,
  );
});

test('equal sets give equal bytes', async () => {
  repository.write({ 'policies/album.yaml': album(RULE.other) });
  for (const output of ['pretty', 'json'])
    assert.is((await diff('main..', '--output', output)).stdout, (await diff('main..', '--output', output)).stdout);
});

test("edits of this repository's policies: widened, narrowed, mixed, and only rewritten", async () => {
  const original = readFileSync(join(ROOT, 'policies/album.yaml'), 'utf8');
  const files = filesIn(join(ROOT, 'policies')).map((path) => [
    `own/${path}`,
    readFileSync(join(ROOT, 'policies', path)),
  ]);
  repository.commit(Object.fromEntries(files));
  for (const [from, to, expected] of [
    ['R.attr.visibility == "friends"', 'R.attr.visibility in ["friends", "family"]', 'widened'],
    ['expr: P.id in R.attr.friends', 'expr: P.id in R.attr.friends || P.id in R.attr.family', 'widened'],
    ['R.attr.visibility == "public"', 'R.attr.visibility == "public" && R.attr.listed == true', 'narrowed'],
    ['R.attr.visibility == "public"', 'R.attr.visibility == "open"', 'mixed'],
    ['expr: R.attr.visibility == "public"', `expr: '"public" == R.attr.visibility'`, 'unchanged'],
    ['expr: P.id in R.attr.friends', "expr: '!!(P.id in R.attr.friends)'", 'unchanged'],
    ['roles: ["*"]\n', 'roles: [user, "guest:*"]\n', 'widened'],
    ['actions: [view, "comment:*"]', 'actions: ["comment:*", view]', 'unchanged'],
    ['actions: [view, edit, delete, "comment:*"]', 'actions: [view, edit, "comment:*"]', 'narrowed'],
  ] as const) {
    assert.ok(original.includes(from), from);
    repository.write({ 'own/album.yaml': original.replace(from, to) });
    const { rows, summary } = await reportOf('main..', '--dir', 'own');
    const verdicts = new Set(rows.map((row) => row.verdict).filter((verdict) => verdict !== 'unchanged'));
    assert.equal([...verdicts], expected === 'unchanged' ? [] : [expected], `${from} -> ${to}`);
    assert.is(summary.undecided, 0);
  }
});

test('examples have values that the schemas allow, if there are such, also where schemas are not enforced', async () => {
  const folder = folderOf(
    Object.fromEntries(
      (
        [
          ['old', '<='],
          ['new', '<'],
        ] as const
      ).flatMap(([name, operator]) => [
        [`${name}/invoice.yaml`, invoicePolicy(operator)],
        [`${name}/_schemas/invoice.json`, schemaOf('amount')],
        [`${name}/_schemas/person.json`, schemaOf('limit')],
      ]),
    ),
  );
  try {
    const { code, stdout } = await callAuthzc(['diff', 'old', 'new', '--no-solver'], folder);
    assert.is(code, 1);
    assert.match(stdout, /"limit":-?\d/);
    assert.match(stdout, /"amount":-?\d/);
    assert.match(stdout, '0 not decided');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function invoicePolicy(operator: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  schemas: {principalSchema: {ref: "authz:///person.json"}, resourceSchema: {ref: "authz:///invoice.json"}}
  rules:
    - actions: [approve]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.amount ${operator} P.attr.limit}}
`;
}

function schemaOf(name: string): string {
  return JSON.stringify({ type: 'object', properties: { [name]: { type: 'number' } }, required: [name] });
}

test.run();

interface RunOptions {
  /** The working directory; by default the root of the repository. */
  readonly folder?: string;
  /** Where programs are searched. */
  readonly path?: string;
}

function diff(...args: readonly (string | RunOptions)[]): Promise<Ended> {
  const words = args.filter((arg): arg is string => typeof arg === 'string');
  const { folder = repository.folder, path } = args.find((arg): arg is RunOptions => typeof arg === 'object') ?? {};
  const variables = { TMPDIR: temporary, GIT_CEILING_DIRECTORIES: tmpdir(), ...(path && { PATH: path }) };
  return callAuthzc(['diff', ...words], folder, variables);
}

async function reportOf(...args: readonly (string | RunOptions)[]): Promise<DiffReport> {
  const { stdout, stderr } = await diff(...args, '--output', 'json');
  assert.is(stderr, '');
  return JSON.parse(stdout) as DiffReport;
}

/** The verdict on viewing albums as a user, and the two sources. */
async function verdict(...args: readonly (string | RunOptions)[]): Promise<readonly string[]> {
  const { rows, old, new: after } = await reportOf(...args);
  const row = rows.find(({ kind, action }) => kind === 'album' && action === 'view');
  return [row?.verdict ?? 'no row', old.source, after.source];
}
