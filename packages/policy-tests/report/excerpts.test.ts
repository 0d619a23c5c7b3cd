import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from '../../../compiler/diagnostics/source.js';
import { testFilter } from '../filter.js';
import { runTests } from '../run-tests.js';
import { formatReport } from './index.js';

const SUITE = `name: S
principals:
  alice: {id: alice, roles: [user]}
resources:
  album: {kind: album, id: a}
tests:
  - name: t
    input:
      principals: [alice]
      resources: [album]
      actions: [view]
    expected:
      - principal: alice
        resource: album
        actions: {view: EFFECT_ALLOW}
`;

/** The report for people of the suite with a slip in it, without the frame of the tree. */
function shown(written: string, slip: string): string {
  const text = SUITE.replace(written, slip);
  assert.is.not(text, SUITE);
  const files = {
    path: 's_test.yaml',
    file: { source: new Source('s_test.yaml', text) },
    fixtureFolder: 'testdata',
    principals: undefined,
    resources: undefined,
    auxData: undefined,
  };
  const ask = (): never => {
    throw new Error('a suite with a mistake asks nothing');
  };
  return formatReport(runTests([files], { ask, filter: testFilter([]), skipBatching: false, traced: false }), {
    format: 'tree',
    verbose: false,
    color: false,
  });
}

test('a mistake in a test file is shown with its lines, a caret and a suggestion', () => {
  assert.is(
    shown('expected:', 'expcted:'),
    `Test results

Unknown (s_test.yaml) [ERROR]
├─ failed to load test suite:
└─ 12:5 unknown field "expcted"
   ├─ s_test.yaml:12:5
   ├─    9 |       principals: [alice]
   ├─   10 |       resources: [album]
   ├─   11 |       actions: [view]
   ├─ > 12 |     expcted:
   ├─      |     ^~~~~~~
   ├─   13 |       - principal: alice
   ├─   14 |         resource: album
   ├─   15 |         actions: {view: EFFECT_ALLOW}
   └─ note: did you mean \`expected\`?

0 tests executed
`,
  );
});

test('a name that is like none of the suite is shown with those that it has', () => {
  for (const [written, slip, names] of [
    ['principals: [alice]', 'principals: [zoe]', '`alice`'],
    ['resources: [album]', 'resources: [x]', '`album`'],
    ['actions: {view:', 'actions: {publish:', '`view`'],
  ] as const)
    assert.match(shown(written, slip), `note: known names: ${names}\n`);
});

const SLIPS: readonly (readonly [
  where: string,
  written: string,
  slip: string,
  says: string,
  line: string,
  name: string,
])[] = [
  [
    'a principal of `input`',
    'principals: [alice]',
    'principals: [alcie]',
    'principal "alcie" not found',
    's_test.yaml:9:20',
    'alice',
  ],
  [
    'a resource of `input`',
    'resources: [album]',
    'resources: [ablum]',
    'resource "ablum" not found',
    's_test.yaml:10:19',
    'album',
  ],
  [
    'an action of `input`',
    'actions: [view]',
    'actions: [veiw]',
    'not exist in the input actions list: [view]',
    's_test.yaml:15:19',
    'veiw',
  ],
  [
    'a principal of `expected`',
    'principal: alice',
    'principal: alcie',
    'principal "alcie" not found',
    's_test.yaml:13:20',
    'alice',
  ],
  [
    'a resource of `expected`',
    'resource: album',
    'resource: ablum',
    'resource "ablum" not found',
    's_test.yaml:14:19',
    'album',
  ],
  [
    'an action of `expected`',
    '{view:',
    '{veiw:',
    'not exist in the input actions list: [veiw]',
    's_test.yaml:15:19',
    'view',
  ],
  ['an effect', 'EFFECT_ALLOW', 'EFFECT_ALOW', 'EFFECT_ALOW', 's_test.yaml:15:25', 'EFFECT_ALLOW'],
];

for (const [where, written, slip, says, position, name] of SLIPS) {
  test(`a misspelt name is marked, and the right one suggested: ${where}`, () => {
    const text = shown(written, slip);
    for (const part of [says, position, `did you mean \`${name}\`?`, '^~'])
      assert.ok(text.includes(part), `${part}\n${text}`);
    assert.not.match(text, 'at least one of these');
  });
}

test('an empty list of expectations is marked', () => {
  const text = shown(SUITE.slice(SUITE.indexOf('    expected:')), '    expected: []\n');
  for (const part of ['tests[0].expected: value is required', 's_test.yaml:12:15', '^~'])
    assert.ok(text.includes(part), text);
});

test.run();
