import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from '../../compiler/diagnostics/source.js';
import type { SuiteFiles, TestFile } from '../../compiler/load/index.js';
import type { Answer, Question } from './ask.js';
import { testFilter } from './filter.js';
import type { CaseResult, SuiteResult } from './results.js';
import { runTests } from './run-tests.js';

const BASE = `
name: S
principals:
  ann: {id: ann, roles: [user]}
  bob: {id: bob, roles: [user]}
resources:
  a: {kind: album, id: a}
  b: {kind: album, id: b}
`;

/** Allows `view`, whoever asks; \`share\` tells who. */
function answer({ actions, principal }: Question): Answer {
  return {
    missedTime: actions.includes('time'),
    decisions: actions.map((action) => ({
      action,
      effect: action === 'view' || action === 'share' ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
      outputs:
        action === 'share'
          ? [
              { src: 'p#r', action, val: principal.id },
              { src: 'p#null', action, val: null },
              { src: 'p#e', action, error: 'boom' },
            ]
          : [],
      trace: undefined,
    })),
  };
}

function file(path: string, text: string | undefined): TestFile | undefined {
  return text === undefined ? undefined : { source: new Source(path, text) };
}

interface Setting {
  readonly fixtures?: Readonly<Record<string, string>>;
  readonly filters?: readonly string[];
  readonly skipBatching?: boolean;
  readonly asked?: (question: Question) => void;
}

function run(
  text: string,
  { fixtures = {}, filters = [], skipBatching = false, asked = () => {} }: Setting = {},
): SuiteResult {
  const files: SuiteFiles = {
    path: 's_test.yaml',
    file: { source: new Source('s_test.yaml', text) },
    fixtureFolder: 'testdata',
    principals: file('testdata/principals.yaml', fixtures['principals']),
    resources: file('testdata/resources.yaml', fixtures['resources']),
    auxData: file('testdata/auxdata.yaml', fixtures['auxData']),
  };
  const ask = (question: Question): Answer => {
    asked(question);
    return answer(question);
  };
  return runTests([files], { ask, filter: testFilter(filters), skipBatching, traced: false }).suites[0] as SuiteResult;
}

function writeTests(...tests: readonly string[]): string {
  return `${BASE}tests:\n${tests.map((one) => `  - ${one}\n`).join('')}`;
}

const named = (name: string, rest: string): string => `{name: ${name}, ${rest}}`;
const INPUT = 'input: {principals: [ann], resources: [a], actions: [view, edit]}';
const EXPECTED = 'expected: [{principal: ann, resource: a, actions: {view: EFFECT_ALLOW}}]';

const shown = ({ test: name, principal, resource, action, details }: CaseResult): string =>
  `${name} ${principal} ${resource} ${action} ${details.kind}`;

test('a test is the product of its principals and resources, principal by principal, and actions without an expectation are expected to be denied', () => {
  const { cases } = run(
    writeTests(
      named(
        't',
        'input: {principals: [bob, ann], resources: [a, b], actions: [view]}, expected: [{principals: [ann, bob], resource: a, actions: {view: EFFECT_ALLOW}}]',
      ),
    ),
  );
  assert.equal(cases.map(shown), [
    't bob a view passed',
    't bob b view failed',
    't ann a view passed',
    't ann b view failed',
  ]);
});

test('a pair is one call with all actions, or one call per action with --skip-batching', () => {
  const calls: string[] = [];
  const text = writeTests(named('t', `${INPUT}, ${EXPECTED}`));
  run(text, { asked: ({ actions }) => calls.push(actions.join()) });
  run(text, { skipBatching: true, asked: ({ actions }) => calls.push(actions.join()) });
  assert.equal(calls, ['view,edit', 'view', 'edit']);
});

test('a missing time is an error of every action of the call', () => {
  const text = writeTests(
    named(
      't',
      'input: {principals: [ann], resources: [a], actions: [view, time]}, expected: [{principal: ann, resource: a, actions: {view: EFFECT_ALLOW}}]',
    ),
  );
  assert.equal(run(text).cases.map(shown), ['t ann a view errored', 't ann a time errored']);
  assert.equal(run(text, { skipBatching: true }).cases.map(shown), ['t ann a view passed', 't ann a time errored']);
});

test('a name refers to the suite first, then to the fixture files, also in fixture groups', () => {
  const ids: string[] = [];
  const fixtures = {
    principals:
      'principals: {ann: {id: other, roles: [x]}, eve: {id: eve, roles: [x]}}\nprincipalGroups: {all: {principals: [ann, eve]}}',
  };
  run(
    writeTests(
      named(
        't',
        'input: {principals: [bob], principalGroups: [all], resources: [a], actions: [view]}, expected: [{principalGroups: [all], resource: a, actions: {view: EFFECT_ALLOW}}]',
      ),
    ),
    {
      fixtures,
      asked: ({ principal }) => ids.push(principal.id),
    },
  );
  assert.equal(ids, ['bob', 'ann', 'eve']);
});

test('options of a test replace those of the suite completely, even when empty', () => {
  const seen: unknown[] = [];
  const asked = ({ options: { now, lenientScopeSearch } }: Question): unknown =>
    seen.push([now?.seconds, lenientScopeSearch]);
  const head = 'options: {now: "1970-01-01T01:00:07+01:00", lenientScopeSearch: true}\n';
  run(
    `${head}${writeTests(named('own', `options: {}, ${INPUT}, ${EXPECTED}`), named('inherited', `${INPUT}, ${EXPECTED}`))}`,
    { asked },
  );
  assert.equal(seen, [
    [undefined, false],
    [7, true],
  ]);
});

test('listed outputs are compared deeply when the effect is right, and a missing value equals nothing', () => {
  const expected = (outputs: string): string =>
    writeTests(
      named(
        't',
        `input: {principals: [ann], resources: [a], actions: [share]}, expected: [{principal: ann, resource: a, actions: {share: EFFECT_ALLOW}, outputs: [{action: share, expected: [${outputs}]}]}]`,
      ),
    );
  const outcome = (outputs: string): unknown => {
    const details = run(expected(outputs)).cases[0]?.details;
    return details?.kind === 'failed' ? details.outputs.map(({ kind, src }) => `${src} ${kind}`) : details?.kind;
  };
  assert.is(outcome('{src: p#r, val: ann}'), 'passed');
  assert.is(outcome('{src: p#null, val: null}'), 'passed');
  assert.is(outcome('{src: p#r, val: bob}, {src: p#r, val: ann}'), 'passed');
  assert.equal(outcome('{src: p#null}'), ['p#null mismatched']);
  assert.equal(outcome('{src: p#r, val: {a: [1]}}, {src: p#e, val: 1}, {src: p#x, val: 1}'), [
    'p#r mismatched',
    'p#e errored',
    'p#x missing',
  ]);
});

const INVALID: readonly (readonly [string, string, Readonly<Record<string, string>>?])[] = [
  [
    'Failed to load the test suite: invalid test "t": principal "zed" not found',
    writeTests(named('t', `input: {principals: [ann, zed], resources: [a], actions: [view]}, ${EXPECTED}`)),
  ],
  [
    'Failed to load the test suite: invalid test "t": resource group "g" not found',
    writeTests(
      named('t', `input: {principals: [ann], resources: [a], resourceGroups: [g], actions: [view]}, ${EXPECTED}`),
    ),
  ],
  [
    'Failed to load the test suite: invalid test "t": auxData "jwt" not found',
    writeTests(named('t', `input: {principals: [ann], resources: [a], actions: [view], auxData: jwt}, ${EXPECTED}`)),
  ],
  [
    'Failed to load the test suite: invalid test "t": found expectations for actions that do not exist in the input actions list: [x,y]',
    writeTests(named('t', `${INPUT}, expected: [{principal: ann, resource: a, actions: {y: 1, x: 2}}]`)),
  ],
  [
    'Failed to load the test suite: invalid test "t": found output expectations for actions that are not in the input actions list: [x]',
    writeTests(
      named(
        't',
        `${INPUT}, expected: [{principal: ann, resource: a, actions: {view: 1}, outputs: [{action: x, expected: [{src: s}]}]}]`,
      ),
    ),
  ],
  [
    'Failed to load the test suite: invalid test "t": found an expectation for principal "bob" and resource "a", but at least one of these is not present in input',
    writeTests(named('t', `${INPUT}, expected: [{principal: bob, resource: a, actions: {view: 1}}]`)),
  ],
  [
    'Failed to load the test suite: invalid test "t": found inconsistent expectations for principal "ann" performing action "view" on resource "a"',
    writeTests(
      named(
        't',
        `${INPUT}, expected: [{principal: ann, resource: a, actions: {view: 1}}, {principals: [ann], resource: a, actions: {view: 2}}]`,
      ),
    ),
  ],
  [
    'Failed to load the test suite: invalid test "t": found inconsistent expectations for output "s" from principal "ann" performing action "view" on resource "a"',
    writeTests(
      named(
        't',
        `${INPUT}, expected: [{principal: ann, resource: a, actions: {view: 1}, outputs: [{action: view, expected: [{src: s, val: 1}]}]}, {principal: ann, resource: a, actions: {view: 1}, outputs: [{action: view, expected: [{src: s}]}]}]`,
      ),
    ),
  ],
  [
    'Invalid test suite: another test named t already exists',
    writeTests(named('t', `${INPUT}, ${EXPECTED}`), named('t', `${INPUT}, ${EXPECTED}`)),
  ],
  [
    'Invalid principal groups in test suite: missing fixture "zed" referenced in group "g"',
    `principalGroups: {g: {principals: [ann, zed]}}\nskip: true\n${writeTests(named('t', `${INPUT}, ${EXPECTED}`))}`,
  ],
  [
    'failed to load test fixtures from testdata: failed to load resources:\n1:1 unknown field "resource"',
    writeTests(named('t', `${INPUT}, ${EXPECTED}`)),
    { resources: 'resource: {}' },
  ],
  [
    'failed to load test fixtures from testdata: failed to load aux data:\n1:14 auxData["j"]: Only one of the jwt or jwts fields must be set',
    writeTests(named('t', `${INPUT}, ${EXPECTED}`)),
    { auxData: 'auxData: {j: {jwt: {}, jwts: {}}}' },
  ],
];

for (const [error, text, fixtures = {}] of INVALID) {
  test(`a suite that cannot run has an error: ${error.slice(0, 100).replace('\n', ' ')}`, () => {
    const result = run(text, { fixtures });
    assert.is(result.error, error);
    assert.is(result.name, 'S');
    assert.is(result.summary.overall, 'errored');
    assert.equal(result.cases, []);
  });
}

const UNREADABLE: readonly (readonly [string, string])[] = [
  ['name: value is required\ntests: value is required', '{}'],
  ['there is nothing in the file', '# nothing'],
  ['more than one YAML document detected', 'name: a\n---\nname: b'],
  ['1:1 invalid document: contents are not valid YAML or JSON', '- a'],
  ['2:1 mapping key "name" already defined at [1:1]', 'name: a\nname: b'],
  ['1:8 expected string value got Sequence', '{name: [a]}'],
  [
    '4:10 invalid timestamp value "soon": RFC 3339 is expected, as in "2024-05-01T12:00:00Z"',
    `name: s\noptions:\n  # when\n  "now": soon\ntests: [${named('t', `${INPUT}, ${EXPECTED}`)}]`,
  ],
];

for (const [error, text] of UNREADABLE) {
  test(`a suite that cannot be parsed is named Unknown: ${error.slice(0, 80).replace('\n', ' ')}`, () => {
    const result = run(text);
    assert.is(result.error, `failed to load test suite:\n${error}`);
    assert.is(result.name, 'Unknown');
  });
}

test('all errors in the fields of a suite are reported in order, missing fields last', () => {
  const wrong = `name: s
principals: {ann: {policyVersion: 1-0, roles: [a, a]}}
tests:
  - name: t
    input: {actions: [], resources: [a]}
    expected: [{resource: a, resources: [b]}]
`;
  assert.equal(run(wrong).error?.split('\n'), [
    'failed to load test suite:',
    '2:20 principals["ann"].policyVersion: does not match regex pattern `^[\\w]*$`',
    '2:40 principals["ann"].roles: repeated value must contain unique items',
    '5:5 tests[0].input: principals or principalGroups must be present',
    '5:13 tests[0].input.actions: value is required',
    '6:16 tests[0].expected[0]: principal, principals, or principalGroups must be present',
    '6:16 tests[0].expected[0]: resource and resources may not both be present',
    'principals["ann"].id: value is required',
    'tests[0].expected[0].actions: value is required',
  ]);
});

test('a skipped suite has no cases, a skipped test has its reason, and neither evaluates anything', () => {
  let calls = 0;
  const asked = (): void => {
    calls += 1;
  };
  const suite = run(`skip: true\nskipReason: later\n${writeTests(named('t', `${INPUT}, ${EXPECTED}`))}`, { asked });
  assert.equal([suite.summary.overall, suite.skipReason, suite.cases], ['skipped', 'later', []]);
  const one = run(writeTests(named('t', `skip: true, skipReason: flaky, ${INPUT}, ${EXPECTED}`)), { asked });
  assert.equal(
    one.cases.map(({ details }) => details),
    [1, 2].map(() => ({ kind: 'skipped', reason: 'flaky', filtered: false })),
  );
  assert.is(one.summary.count, 2);
  assert.is(calls, 0);
});

test('tests excluded by a filter are neither evaluated nor counted, and name the dimension', () => {
  const text = writeTests(named('t', `${INPUT}, ${EXPECTED}`), named('u', `skip: true, ${INPUT}, ${EXPECTED}`));
  const reasons = (filter: string): readonly string[] =>
    run(text, { filters: [filter] }).cases.map(({ details }) =>
      details.kind === 'skipped' ? details.reason : details.kind,
    );
  assert.equal(reasons('suite=T'), Array(4).fill('Suite did not match the test filter'));
  assert.equal(reasons('test=u'), ['Test did not match the test filter', 'Test did not match the test filter', '', '']);
  assert.equal(reasons('principal=bob;resource=x'), Array(4).fill('Principal did not match the test filter'));
  assert.equal(reasons('resource=x'), Array(4).fill('Resource did not match the test filter'));
  assert.equal(reasons('action=edit'), [
    'passed',
    'No actions matched the test filter',
    '',
    'No actions matched the test filter',
  ]);
  assert.is(run(text, { filters: ['action=edit'] }).summary.count, 2);
});

test('names of object methods are ordinary names', () => {
  const text = `name: s\nprincipals: {__proto__: {id: p, roles: [u], attr: {constructor: 1}}}\nresources: {constructor: {kind: k, id: toString}}\ntests: [{name: t, input: {principals: [__proto__], resources: [constructor], actions: [__proto__]}, expected: [{principal: __proto__, resource: constructor, actions: {__proto__: 2}}]}]`;
  assert.equal(run(text).cases.map(shown), ['t __proto__ constructor __proto__ passed']);
  assert.match(run(text.replace('[constructor], actions', '[valueOf], actions')).error ?? '', 'not present in input');
});

test.run();
