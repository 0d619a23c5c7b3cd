import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from '../../../compiler/diagnostics/source.js';
import type { CaseResult, Details, SuiteResult, TestResults } from '../results.js';
import { bare, summarize, addSummaries } from '../run-tests.js';
import { formatReport } from './index.js';

const TRACE = {
  matchedPolicy: 'resource.album.vdefault',
  matchedScope: 'acme',
  effectiveDerivedRoles: ['owner'],
  evaluationErrors: [{ policy: 'p', rule: 'r', expression: '1/0', message: 'division by zero' }],
  validationErrors: [],
};

const PLACE = { span: { source: new Source('a_test.yaml', ''), start: 0, end: 0 }, anchor: 0, path: '' };

const ASKED: CaseResult['asked'] = {
  principal: { id: 'ann', roles: [] },
  resource: { kind: 'album', id: 'a' },
  auxData: undefined,
  options: {
    now: undefined,
    defaultPolicyVersion: undefined,
    defaultScope: undefined,
    lenientScopeSearch: false,
    strictEvaluation: false,
    globals: {},
  },
};

function makeCase(action: string, details: Details, trace: CaseResult['trace'] = undefined): CaseResult {
  return { test: 'T', place: PLACE, principal: 'ann', resource: 'a', action, asked: ASKED, details, trace };
}

function makeSuite(file: string, own: Partial<SuiteResult>): SuiteResult {
  const cases = own.cases ?? [];
  return {
    file,
    name: 'S',
    description: '',
    summary: summarize(cases),
    error: undefined,
    skipReason: '',
    ...own,
    cases,
  };
}

const SUITES = [
  makeSuite('a_test.yaml', {
    description: 'all "kinds" & <more>',
    cases: [
      makeCase('view', {
        kind: 'passed',
        effect: 'EFFECT_ALLOW',
        outputs: [{ src: 'p#r', action: 'view', val: { a: ']]>' } }],
      }),
      makeCase('edit', { kind: 'failed', expected: 'EFFECT_ALLOW', actual: 'EFFECT_DENY', outputs: [] }, TRACE),
      makeCase('share', {
        kind: 'failed',
        expected: 'EFFECT_ALLOW',
        actual: 'EFFECT_ALLOW',
        outputs: [
          { kind: 'mismatched', src: 'p#r', expected: undefined, actual: null },
          { kind: 'missing', src: 'p#s', expected: 1 },
        ],
      }),
      makeCase('time\u001b[0m', { kind: 'errored', error: 'no\u0000 time' }),
      makeCase('x', { kind: 'skipped', reason: 'later', filtered: false }),
      makeCase('y', { kind: 'skipped', reason: 'No actions matched the test filter', filtered: true }),
    ],
  }),
  makeSuite('b_test.yaml', { name: 'Unknown', summary: bare('errored'), error: 'failed to load test suite:\n1:1 no' }),
  makeSuite('c_test.yaml', { name: 'C', summary: bare('skipped'), skipReason: 'not today' }),
];
const RESULTS: TestResults = { suites: SUITES, summary: addSummaries(SUITES.map(({ summary }) => summary)) };

const report = (format: 'tree' | 'list' | 'json' | 'junit', verbose = false): string =>
  formatReport(RESULTS, { format, verbose, color: false });

test('the tree shows failed and skipped tests, and escapes control characters', () => {
  assert.is(
    report('tree'),
    `Test results

S (a_test.yaml) [1 SKIPPED] [1 OK] [2 FAILED] [1 ERROR]
└─ T
   └─ ann
      └─ a
         ├─ edit [FAILED]
         │  └─ OUTCOME: expected: EFFECT_ALLOW, actual: EFFECT_DENY
         ├─ share [FAILED]
         │  └─ OUTCOME: output expectation unsatisfied
         │     ├─ p#r
         │     │  ├─ EXPECTED: NOTHING
         │     │  └─ ACTUAL: null
         │     └─ p#s
         │        ├─ EXPECTED: 1
         │        └─ ACTUAL: MISSING
         ├─ time\\x1b[0m [ERROR]
         │  └─ ERROR: no\\x00 time
         └─ x [SKIPPED]
            └─ later
Unknown (b_test.yaml) [ERROR]
├─ failed to load test suite:
└─ 1:1 no

5 tests executed [1 SKIPPED] [1 OK] [2 FAILED] [1 ERROR]
`,
  );
});

test('the list is indented; verbose, it includes passed tests, and traces of failed ones', () => {
  const text = report('list', true);
  assert.match(
    text,
    '\n        view [OK]\n          RESULT: EFFECT_ALLOW\n          OUTPUTS:\n            p#r: {"a":"]]>"}\n',
  );
  assert.match(
    text,
    `TRACES
S > T > ann > a > edit
  decided by resource.album.vdefault, scope acme
  derived roles: owner
  p#r: \`1/0\` could not be evaluated, so it does not hold: division by zero

5 tests executed`,
  );
});

test('a run without tests has a report', () => {
  const nothing: TestResults = { suites: [], summary: addSummaries([]) };
  assert.is(
    formatReport(nothing, { format: 'tree', verbose: false, color: false }),
    'Test results\n\n0 tests executed\n',
  );
  assert.equal(JSON.parse(formatReport(nothing, { format: 'json', verbose: false, color: false })), { summary: {} });
});

test('JSON omits empty fields, names results, and counts', () => {
  const { suites, summary } = JSON.parse(report('json')) as {
    suites: readonly { summary: object; testCases: readonly object[] }[];
    summary: object;
  };
  assert.equal(summary, {
    overallResult: 'RESULT_ERRORED',
    testsCount: 5,
    resultCounts: [
      { result: 'RESULT_SKIPPED', count: 1 },
      { result: 'RESULT_PASSED', count: 1 },
      { result: 'RESULT_FAILED', count: 2 },
      { result: 'RESULT_ERRORED', count: 1 },
    ],
  });
  assert.equal(suites[1], {
    file: 'b_test.yaml',
    name: 'Unknown',
    summary: { overallResult: 'RESULT_ERRORED' },
    error: 'failed to load test suite:\n1:1 no',
  });
  assert.equal(suites[2], {
    file: 'c_test.yaml',
    name: 'C',
    summary: { overallResult: 'RESULT_SKIPPED' },
    skipReason: 'not today',
  });
  const text = JSON.stringify(suites[0]?.testCases);
  assert.match(
    text,
    '{"name":"share","details":{"result":"RESULT_FAILED","failure":{"expected":"EFFECT_ALLOW","actual":"EFFECT_ALLOW","outputs":[{"src":"p#r","mismatched":{"actual":null}},{"src":"p#s","missing":{"expected":1}}]}}}',
  );
});

test('JUnit has a test case for each counted action, including errors, and is well-formed', () => {
  const xml = report('junit', true);
  assert.match(xml, '<testsuites errors="2" failures="2" skipped="2" tests="5">');
  assert.match(
    xml,
    '<testsuite description="all &quot;kinds&quot; &amp; &lt;more&gt;" name="S" file="a_test.yaml" errors="1" failures="2" skipped="1" tests="5">',
  );
  assert.match(xml, '<actual><![CDATA[{"a":"]]]]><![CDATA[>"}]]></actual>');
  assert.match(xml, '<failure type="RESULT_FAILED" message="Effect expectation unsatisfied">');
  assert.match(xml, '<error type="RESULT_ERRORED">no\ufffd time</error>');
  assert.match(xml, '<skipped message="This test was skipped">later</skipped>');
  assert.match(xml, '<error type="RESULT_ERRORED">failed to load test suite:&#10;1:1 no</error>');
  assert.match(xml, '<skipped message="This test suite was skipped">not today</skipped>');
  assert.is(xml.match(/<testcase /g)?.length, 5);
  assert.not.match(report('junit'), 'This test suite was skipped');
});

test.run();
