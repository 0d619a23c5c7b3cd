import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from '../../compiler/diagnostics/source.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import type { Question } from '../../packages/policy-tests/ask.js';
import { formatReport } from '../../packages/policy-tests/report/index.js';
import { runTests } from '../../packages/policy-tests/run-tests.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';

/** The number of mutated suites, and of principals and resources of a product. */
const MUTATIONS = rounds(3000, 250);
const KEYS = Math.min(200, rounds(200, 50));

const test = suite('hostile test suites');

const SUITE = `---
name: Albums # of everybody
description: "all \\u0041"
$schema: x
options: &now {now: "2024-05-01T12:00:00Z", globals: {a: [1, 0x10, ~, 1e3]}}
principals:
  ann: &ann {id: ann, roles: [user], attr: {teams: [a, b]}}
  bob:
    <<: *ann
principalGroups: {both: {principals: [ann, bob]}}
resources:
  album: {kind: album, id: "1", policyVersion: 2}
auxData: {token: {jwts: {x: {claims: {sub: ann}}}}}
tests:
  - name: view
    options: *now
    skip: false
    input: {principalGroups: [both], resources: [album], actions: [view, "edit"], auxData: token}
    expected:
      - principal: ann
        principalGroups: [both]
        resource: album
        actions: {view: EFFECT_ALLOW, edit: 2}
        outputs: [{action: view, expected: [{src: "p#r", val: {a: [1, null]}}]}]
  - name: partial
    unknown: [resource.attr.owner, 'principal.attr["a b"]', auxData.jwt.sub]
    input: {principals: [ann], resources: [album], actions: [view]}
    expected: [{principal: ann, resource: album, actions: {view: UNKNOWN}}]
`;
const FIXTURES = {
  principals: 'principals:\n  eve: {id: eve, roles: [x]}\nprincipalGroups: {g: {principals: [eve]}}\n',
  resources: 'resources: {}\n',
  auxData: '{"auxData": {"t": {"jwt": {}}}}\n',
};

/** Fragments that mutations insert, in addition to pieces of the text itself. */
const FRAGMENTS = [
  '',
  '\0',
  '\n',
  ' ',
  ': ',
  '- ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '&a ',
  '*a',
  '*now',
  '<<: ',
  '~',
  '#',
  '---\n',
  '...',
  '| ',
  '!t ',
  '? ',
  '\ufeff',
  '\ud800',
  '🐘',
  '__proto__',
  'constructor',
  '.inf',
  '9'.repeat(40),
  '\t',
  ',',
  '%',
  '`',
];

function ask({ actions }: Question): {
  missedTime: boolean;
  decisions: { action: string; effect: 'EFFECT_ALLOW'; outputs: []; trace: undefined }[];
} {
  return {
    missedTime: false,
    decisions: actions.map((action) => ({ action, effect: 'EFFECT_ALLOW', outputs: [], trace: undefined })),
  };
}

function run(text: string, fixtures = FIXTURES): ReturnType<typeof runTests> {
  const file = (path: string, own: string) => ({ source: new Source(path, own) });
  const files: SuiteFiles = {
    path: 'a_test.yaml',
    file: file('a_test.yaml', text),
    fixtureFolder: 'testdata',
    principals: file('testdata/principals.yaml', fixtures.principals),
    resources: file('testdata/resources.yaml', fixtures.resources),
    auxData: file('testdata/auxdata.yaml', fixtures.auxData),
  };
  return runTests([files], { ask, filter: new Map(), skipBatching: false, traced: false });
}

function mutated(text: string, random: Random): string {
  let result = text;
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(result.length + 1);
    const end = Math.min(result.length, at + random.below(13));
    const from = random.below(text.length);
    const bit = random.chance(0.5) ? random.pick(FRAGMENTS) : text.slice(from, from + 1 + random.below(30));
    result = result.slice(0, at) + bit + result.slice(end);
  }
  return result;
}

test('the unmutated suite runs', () => {
  const [result] = run(SUITE).suites;
  assert.is(result?.error, undefined);
  assert.equal(
    result?.cases.map(({ principal, action, details }) => `${principal} ${action} ${details.kind}`),
    ['ann view failed', 'ann edit failed', 'bob view failed', 'bob edit failed', 'ann view failed'],
  );
});

test('a mutated suite or fixture runs or is reported as invalid; nothing throws, and every report can be written', () => {
  const random = new Random(SEED + 6);
  let invalid = 0;
  for (let round = 0; round < MUTATIONS; round += 1) {
    const results = random.chance(0.8)
      ? run(mutated(SUITE, random))
      : run(SUITE, {
          principals: mutated(FIXTURES.principals, random),
          resources: mutated(FIXTURES.resources, random),
          auxData: mutated(FIXTURES.auxData, random),
        });
    const [result] = results.suites;
    if (result?.error !== undefined) {
      invalid += 1;
      assert.ok(result.error.length > 10, result.error);
    }
    for (const format of ['tree', 'json', 'junit'] as const)
      assert.ok(formatReport(results, { format, verbose: true, color: true }).endsWith('\n'));
  }
  assert.ok(invalid > MUTATIONS / 3, String(invalid));
});

test('a deeply nested suite is rejected with a location, without a stack overflow', () => {
  for (const text of [
    `name: ${'['.repeat(100_000)}`,
    `name: s\noptions: {globals: {a: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}}}`,
    `${'- '.repeat(50_000)}a`,
  ]) {
    assert.match(run(text).suites[0]?.error ?? '', /^failed to load test suite:\n\d+:\d+ /);
  }
});

test('a suite whose product has many cases runs', () => {
  const keys = Array.from({ length: KEYS }, (_, index) => `k${index}`);
  const text = `name: s
principals: {${keys.map((key) => `${key}: {id: x, roles: [r]}`).join(', ')}}
resources: {${keys.map((key) => `${key}: {id: x, kind: r}`).join(', ')}}
tests: [{name: t, input: {principals: [${keys.join()}], resources: [${keys.join()}], actions: [view]}, expected: [{principals: [${keys.join()}], resources: [${keys.join()}], actions: {view: 1}}]}]`;
  assert.is(run(text).summary.count, KEYS ** 2);
});

test.run();
