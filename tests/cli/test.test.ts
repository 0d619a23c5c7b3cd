import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf } from '../support/cli/programs.js';

const test = suite('authzc test');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A suite about actions of users on documents. */
function suiteThat(expects: 'EFFECT_ALLOW' | 'EFFECT_DENY', more = ''): string {
  return `name: documents
tests:
  - name: users view
    input: {principals: [ann], resources: [d1], actions: [view, edit]}
    expected:
      - principal: ann
        resource: d1
        actions: {view: ${expects}}
${more}`;
}

const FIXTURES = {
  'policies/testdata/principals.yaml': 'principals: {ann: {id: ann, roles: [user]}}',
  'policies/testdata/resources.yaml': 'resources: {d1: {kind: document, id: d1}}',
};
const POLICY = { 'policies/document.yaml': documentPolicy('view') };
const GOOD = { ...POLICY, ...FIXTURES, 'policies/document_test.yaml': suiteThat('EFFECT_ALLOW') };
const FAILING = { ...GOOD, 'policies/document_test.yaml': suiteThat('EFFECT_DENY') };
const PASSED = 'Test results\n\ndocuments (policies/document_test.yaml) [2 OK]\n\n2 tests executed [2 OK]\n';
const FAILED = `Test results

documents (policies/document_test.yaml) [1 OK] [1 FAILED]
└─ users view
   └─ ann
      └─ d1
         └─ view [FAILED]
            ├─ OUTCOME: expected: EFFECT_DENY, actual: EFFECT_ALLOW
            └─ WHY: users applies
               └─ as user
                  └─ root scope  resource.document.vdefault
                     └─ ✔ users  ALLOW  policies/document.yaml:6:7

2 tests executed [1 OK] [1 FAILED]
`;

test('it runs the tests in the policies folder, writes nothing, and exits with 0 when all pass', async () => {
  const folder = newFolder(GOOD);
  const before = filesIn(folder);
  assert.equal(await authzc(folder, 'test'), { code: 0, stdout: PASSED, stderr: '' });
  assert.equal(filesIn(folder), before);
});

test('it exits with 4 when a test fails or has an error, and says so on stderr', async () => {
  assert.equal(await authzc(newFolder(FAILING), 'test'), { code: 4, stdout: FAILED, stderr: 'authzc: tests failed\n' });
  const { code, stdout } = await authzc(
    newFolder({ ...GOOD, 'policies/x_test.yaml': 'name: x' }),
    'test',
    '--output',
    'list',
  );
  assert.is(code, 4);
  assert.match(
    stdout,
    'Unknown (policies/x_test.yaml) [ERROR]\n  failed to load test suite:\n  tests: value is required\n',
  );
});

test('a failing run shows the warnings of the policies, which often explain it', async () => {
  const policy = documentPolicy('view').replace(
    'roles: [user]',
    `roles: [user]\n      condition: {match: {expr: "R.attr.since <= timestamp('2025-01-01T00:00:00Z')"}}`,
  );
  const folder = newFolder({ ...GOOD, 'policies/document.yaml': policy });
  const failed = await authzc(folder, 'test');
  assert.is(failed.code, 4);
  assert.match(failed.stderr, /document\.yaml:\d+:\d+: warning\[/);
  assert.match(failed.stderr, /authzc: tests failed\n$/);
  const passing = newFolder({
    ...GOOD,
    'policies/document.yaml': policy,
    'policies/document_test.yaml': suiteThat('EFFECT_DENY'),
  });
  assert.is((await authzc(passing, 'test')).stderr, '');
});

test('a folder without tests ends with status 1 and an error, unless --pass-with-no-tests', async () => {
  for (const options of [[], ['-o', 'json']]) {
    const { code, stdout, stderr } = await authzc(newFolder(POLICY), 'test', ...options);
    assert.equal([code, stdout], [1, '']);
    assert.match(stderr, /^authzc: `policies` holds no tests \(files `\*_test\.yaml`\); [^\n]*--pass-with-no-tests\n$/);
  }
  assert.equal(await authzc(newFolder(POLICY), 'test', '--pass-with-no-tests'), {
    code: 0,
    stdout: 'Test results\n\n0 tests executed\n',
    stderr: '',
  });
  assert.equal(await authzc(newFolder(POLICY), 'test', '-o', 'json', '--pass-with-no-tests'), {
    code: 0,
    stdout: '{\n  "summary": {}\n}\n',
    stderr: '',
  });
});

test('the tests can be in another folder', async () => {
  const folder = newFolder({
    ...POLICY,
    'checks/a/b_test.yaml': suiteThat('EFFECT_ALLOW'),
    'checks/a/testdata/principals.yaml': FIXTURES['policies/testdata/principals.yaml'],
    'checks/a/testdata/resources.yaml': FIXTURES['policies/testdata/resources.yaml'],
  });
  const { code, stdout } = await authzc(folder, 'test', 'policies', '--tests=checks');
  assert.is(code, 0);
  assert.match(stdout, 'documents (checks/a/b_test.yaml) [2 OK]');
  assert.is(
    (await authzc(folder, 'test', '--tests', 'nowhere')).stderr,
    'authzc: `nowhere` does not exist; name the folder of the policies and their tests\n',
  );
});

test('policies that do not compile end with 3, and their diagnostics are printed in the requested format', async () => {
  const folder = newFolder({ ...GOOD, 'policies/document.yaml': BROKEN_POLICY });
  const { code, stdout } = await authzc(folder, 'test', '-o', 'json');
  assert.is(code, 3);
  assert.is((JSON.parse(stdout) as { readonly errors: readonly unknown[] }).errors.length, 1);
  assert.match((await authzc(folder, 'test')).stdout, 'error[expression/invalid]');
});

test('filters select tests; selecting none succeeds with a note; an invalid filter ends with 1', async () => {
  const folder = newFolder(FAILING);
  assert.match((await authzc(folder, 'test', '--test-filter=action=edit')).stdout, '1 test executed [1 OK]');
  assert.equal(await authzc(folder, 'test', '--test-filter=suite=x,y;action=edit', '--test-filter', 'suite=z'), {
    code: 0,
    stdout: 'Test results\n\n0 tests executed\n',
    stderr: 'note: no test matches --test-filter; without it, `authzc test --verbose` lists all tests\n',
  });
  const { code, stderr } = await authzc(folder, 'test', '--test-filter=colour=red');
  assert.equal(
    [code, stderr],
    [
      1,
      'authzc: invalid test filter: unknown dimension `colour`, must be one of suite, test, principal, resource, action\n',
    ],
  );
});

test('invalid arguments end with 2', async () => {
  assert.is((await authzc(newFolder(GOOD), 'test', '--test-output=xml')).code, 2);
  assert.is((await authzc(newFolder(GOOD), 'test', '--enforce-schemas', '--ignore-schemas')).code, 2);
});

test('results can be JUnit while diagnostics are text', async () => {
  const { code, stdout } = await authzc(newFolder(FAILING), 'test', '--test-output=junit');
  assert.is(code, 4);
  assert.ok(
    stdout.startsWith(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites errors="0" failures="1" skipped="0" tests="2">\n',
    ),
  );
});

const TIMED = `${documentPolicy('view')}      condition: {match: {expr: now() > timestamp("2024-01-01T00:00:00Z")}}\n`;

test('a condition that reads the time is an error without `now`, and decides with it', async () => {
  const without = await authzc(newFolder({ ...GOOD, 'policies/document.yaml': TIMED }), 'test');
  assert.is(without.code, 4);
  assert.is(
    without.stdout.match(
      /ERROR: a policy used a time-based condition, but `now` was not provided in the test options; add `options: \{now: "2026-01-31T12:00:00Z"\}` to the test or its suite, or run `authzc test --now TIME`\n/g,
    )?.length,
    2,
  );
  assert.match(
    (await authzc(newFolder({ ...GOOD, 'policies/document.yaml': TIMED }), 'test', '--skip-batching')).stdout,
    '[1 OK] [1 ERROR]',
  );
  const later = newFolder({
    ...GOOD,
    'policies/document.yaml': TIMED,
    'policies/document_test.yaml': suiteThat('EFFECT_ALLOW', 'options: {now: "2024-01-01T00:00:00.001Z"}\n'),
  });
  assert.equal(await authzc(later, 'test'), { code: 0, stdout: PASSED, stderr: '' });
});

const TIMED_ROLE = {
  'policies/roles.yaml':
    'apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: roles\n  definitions:\n    - {name: early, parentRoles: [user], condition: {match: {expr: now() < timestamp("2024-01-01T00:00:00Z")}}}\n',
  'policies/document.yaml': `${documentPolicy('view').replace('  rules:', '  importDerivedRoles: [roles]\n  rules:')}    - {actions: [keep], effect: EFFECT_ALLOW, derivedRoles: [early]}\n`,
};

test('a derived role that reads the time needs `now`, whatever the action and the output', async () => {
  const folder = newFolder({ ...GOOD, ...TIMED_ROLE });
  for (const options of [[], ['--verbose']])
    assert.match((await authzc(folder, 'test', ...options)).stdout, '2 tests executed [2 ERROR]');
});

const FAULTY = `${documentPolicy('view')}    - name: faulty
      actions: [view]
      effect: EFFECT_DENY
      roles: [user]
      condition: {match: {expr: R.attr.missing > 1}}
`;

test('strict evaluation denies where a condition fails to evaluate, and traces say which one', async () => {
  const folder = newFolder({ ...GOOD, 'policies/document.yaml': FAULTY });
  assert.is((await authzc(folder, 'test')).code, 0);
  const { code, stdout } = await authzc(folder, 'test', '--strict-evaluation', '--verbose');
  assert.is(code, 4);
  assert.match(stdout, 'edit [OK]\n            └─ RESULT: EFFECT_DENY');
  assert.match(stdout, 'TRACES\ndocuments > users view > ann > d1 > view\n  decided by resource.document.vdefault\n');
  assert.match(stdout, 'resource.document.vdefault#faulty: `R.attr.missing > 1` could not be evaluated');
});

const SCHEMA = {
  'policies/document.yaml': documentPolicy('view').replace(
    '  rules:',
    '  schemas: {resourceSchema: {ref: "authz:///document.json"}}\n  rules:',
  ),
  'policies/_schemas/document.json': '{"type": "object", "required": ["owner"]}',
};

test('schemas are enforced as in compile, unless they are ignored', async () => {
  const folder = newFolder({ ...GOOD, ...SCHEMA });
  const enforced = await authzc(folder, 'test');
  assert.is(enforced.code, 4);
  assert.match(enforced.stderr, 'warning: in 1 call attributes do not satisfy their schemas, which denies');
  for (const flags of [['--enforce-schemas'], ['--coverage'], ['--output', 'json']])
    assert.is((await authzc(folder, 'test', ...flags)).code, 4, String(flags));
  assert.equal(await authzc(folder, 'test', '--ignore-schemas'), { code: 0, stdout: PASSED, stderr: '' });
  assert.is((await authzc(folder, 'compile')).code, 4);
  assert.is((await authzc(folder, 'compile', '--ignore-schemas')).code, 0);
});

test('compile runs the tests of the folder and writes when they pass', async () => {
  const folder = newFolder(GOOD);
  assert.equal(await authzc(folder, 'compile'), { code: 0, stdout: PASSED, stderr: '' });
  assert.ok(filesIn(folder).includes('dist/policies.js'));
  assert.equal(await authzc(folder, 'compile', '--check'), { code: 0, stdout: PASSED, stderr: '' });
});

test('compile writes nothing when tests fail, unless they are skipped; --no-emit runs the tests of --tests', async () => {
  const folder = newFolder(FAILING);
  const before = filesIn(folder);
  assert.equal(await authzc(folder, 'compile'), { code: 4, stdout: FAILED, stderr: 'authzc: tests failed\n' });
  assert.equal(filesIn(folder), before);
  assert.equal(await authzc(folder, 'compile', '--no-emit'), { code: 0, stdout: '', stderr: '' });
  assert.is((await authzc(folder, 'compile', '--no-emit', '--tests', 'policies')).code, 4);
  assert.equal(await authzc(folder, 'compile', '--skip-tests'), { code: 0, stdout: '', stderr: '' });
});

test('compile tests code that is emitted for checks only in strict evaluation', async () => {
  const folder = newFolder({
    ...GOOD,
    'policies/document_test.yaml': suiteThat('EFFECT_ALLOW', 'options: {strictEvaluation: true}\n'),
  });
  assert.equal(await authzc(folder, 'compile', '--checks-only'), { code: 0, stdout: PASSED, stderr: '' });
  assert.not.match(readFileSync(join(folder, 'dist/policies.js'), 'utf8'), 'traced/');
});

test('compile -o json prints one document: errors, warnings, suites and summary', async () => {
  const unused = {
    'policies/unused.yaml':
      'apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: unused\n  definitions: [{name: nobody, parentRoles: [user]}]\n',
  };
  const { code, stdout, stderr } = await authzc(newFolder({ ...FAILING, ...unused }), 'compile', '-o', 'json');
  assert.equal([code, stderr], [4, 'authzc: tests failed\n']);
  const report = JSON.parse(stdout) as {
    readonly warnings: readonly unknown[];
    readonly suites: readonly unknown[];
    readonly summary: { readonly overallResult: string };
  };
  assert.ok(report.warnings.length > 0);
  assert.equal([report.suites.length, report.summary.overallResult], [1, 'RESULT_FAILED']);
  const junit = await authzc(newFolder({ ...GOOD, ...unused }), 'compile', '--test-output=junit');
  assert.ok(junit.stdout.startsWith('<?xml'));
  assert.match(junit.stderr, 'warning[');
});

test('it reports the coverage of rules and conditions, in files on request, and fails below a threshold', async () => {
  const folder = newFolder(GOOD);
  const covered = await authzc(folder, 'test', '--coverage', '--min-coverage', '100');
  assert.is(covered.code, 0);
  assert.is(
    covered.stdout,
    `${PASSED}
                        rules        clauses  MC/DC  uncovered lines
policies/document.yaml  100 % (1/1)  -        -
all                     100 % (1/1)  -        -
`,
  );

  const owners = `${documentPolicy('view')}      condition: {match: {expr: R.attr.owner == P.id}}\n`;
  const gaps = newFolder({ ...FAILING, 'policies/document.yaml': owners });
  const formats = ['json', 'lcov', 'html'].flatMap((format) => ['--coverage-output', format]);
  const missed = await authzc(gaps, 'test', ...formats, '--coverage-dir', 'out', '--min-coverage', '60');
  assert.is(missed.code, 1);
  assert.match(missed.stderr, /^authzc: coverage of rules is 0 %, less than 60 %$/m);
  assert.match(missed.stderr, /^authzc: coverage of clauses is 50 %, less than 60 %$/m);
  const [json, lcov, html] = ['coverage.json', 'lcov.info', 'index.html'].map((name) =>
    readFileSync(join(gaps, 'out', name), 'utf8'),
  ) as [string, string, string];
  assert.equal(JSON.parse(json).total.clauses, { covered: 1, all: 2 });
  assert.match(lcov, /^SF:policies\/document\.yaml$/m);
  assert.match(lcov, /^BRDA:\d+,0,0,0$/m);
  assert.match(html, /R\.attr\.owner == P\.id: true 0, false 0, failed 1, never decides alone/);
  assert.not.match(html, /<script|https?:/);

  const wrong = await authzc(folder, 'test', '--min-mcdc', '101');
  assert.is(wrong.code, 2);
  assert.match(wrong.stderr, /must be a number from 0 to 100/);
  const failing = await authzc(newFolder(FAILING), 'test', '--min-coverage', '100');
  assert.is(failing.code, 4);
});

test('it shows the mutants that no test notices, in a file on request, and fails below a score', async () => {
  const folder = newFolder(GOOD);
  const shown = await authzc(folder, 'test', '--mutate', '--min-score', '50');
  assert.is(shown.code, 0);
  assert.match(
    shown.stdout,
    /^SURVIVED {2}role {4}policies\/document\.yaml:\d+ {2}roles: \[user\] {2}-> {2}roles: \["\*"\]$/m,
  );
  assert.match(shown.stdout, /^mutants: 5 {3}killed 4, survived 1, equivalent 0 {3}score 80 %$/m);

  const missed = await authzc(folder, 'test', '--mutate-output', 'json', '--mutate-dir', 'out', '--min-score', '80.1');
  assert.is(missed.code, 1);
  assert.match(missed.stderr, /^authzc: the mutation score is 80 %, less than 80\.1 %$/m);
  assert.equal(missed.stdout, PASSED);
  const { mutants, total } = JSON.parse(readFileSync(join(folder, 'out/mutation.json'), 'utf8'));
  assert.equal([mutants.length, total.score], [5, 80]);

  const none = await authzc(folder, 'test', '--rule', 'nothing');
  assert.is(none.code, 1);
  assert.match(none.stderr, /^authzc: no rule is `nothing`$/m);
  assert.match((await authzc(folder, 'test', '--mutants', '1', '--seed', '7')).stdout, /^mutants: 1 /m);
  for (const wrong of [
    ['--min-score', '-1'],
    ['--mutants', 'all'],
    ['--mutate-output', 'html'],
  ])
    assert.is((await authzc(folder, 'test', ...wrong)).code, 2);
  const again = await authzc(folder, 'test', '--mutate', '--mutants', '3', '--seed', '7');
  assert.equal(await authzc(folder, 'test', '--mutate', '--mutants', '3', '--seed', '7'), again);
  const failing = await authzc(newFolder(FAILING), 'test', '--mutate');
  assert.is(failing.code, 4);
  assert.not.match(failing.stdout, 'SURVIVED');
});

test('--verbose lists equivalent mutants, and Ctrl-C ends with what is known', async () => {
  const own = join(ROOT, 'policies');
  const { stdout } = await authzc(own, 'test', '.', '--mutate', '--verbose', '--rule', 'approve');
  assert.match(stdout, /^EQUIVALENT {2}op {6}leave_request\.yaml:49 {2}has\(R\.attr\.disputed\) && /m);

  const rules = Array.from({ length: 1500 }, (_, index) => ({
    actions: [`a${index}`],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
  }));
  const folder = newFolder({
    ...FIXTURES,
    'policies/many_test.yaml': suiteThat('EFFECT_DENY'),
    'policies/many.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: { resource: 'many', version: 'default', rules },
    }),
  });
  const interrupted = await callAuthzc(['test', '--mutate'], folder, {}, '', (signals) => {
    // The command listens once it tries mutants.
    signals.once('newListener', (name) => setImmediate(() => signals.emit(name)));
  });
  assert.is(interrupted.code, 1, interrupted.stdout);
  const [, tried] = /^mutants: (\d+) /m.exec(interrupted.stdout) ?? [];
  assert.ok(Number(tried) < 1500, interrupted.stdout);
});

test.run();

function newFolder(files: Readonly<Record<string, string>>): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

function authzc(folder: string, ...options: readonly string[]): Promise<Ended> {
  return callAuthzc(options, folder);
}
