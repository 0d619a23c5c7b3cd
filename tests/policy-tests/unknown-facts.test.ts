import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CoverageRecorder } from '../../packages/analysis/coverage/coverage.js';
import { type PolicyTestOptions, runPolicyTests } from '../../packages/cli/policies/test-policies.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import { askPolicies } from '../../packages/policy-tests/engine/ask-policies.js';
import { testFilter } from '../../packages/policy-tests/filter.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { tryMutants } from '../../packages/policy-tests/mutate/mutate.js';
import { testCalls } from '../../packages/policy-tests/run-tests.js';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('tests that do not know some facts');

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.id}}
      output: {when: {ruleActivated: R.attr.owner}}
    - name: public
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.public == true}}
    - name: locked
      actions: [edit]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: R.attr.locked == true && request.aux_data.jwt.level < 3}}
    - name: late
      actions: [archive]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'R.attr["left over"] == 1 && now() > timestamp("2026-01-01T00:00:00Z")'}}
`;
const compilation = compileTexts({ 'album.yaml': ALBUM });
const OWNER = 'resource.attr.owner';

test('a decision that does not depend on an unknown fact is made, and another is UNKNOWN', async () => {
  await passes('public: true', OWNER, 'view: EFFECT_ALLOW, edit: UNKNOWN, delete: EFFECT_DENY');
  await passes('public: false', OWNER, 'view: UNKNOWN, edit: UNKNOWN');
  await passes('public: true', 'resource.attr.public', 'view: UNKNOWN, edit: EFFECT_DENY');
  // A fact that is missing is known: nobody else may own it.
  await passes('', 'resource.attr.public', 'view: UNKNOWN, edit: EFFECT_DENY');
});

test('the values that fixtures have for unknown facts are ignored', async () => {
  for (const owner of ['ann', 'bob'])
    await passes(`owner: ${owner}, public: false`, OWNER, 'view: UNKNOWN, edit: UNKNOWN');
});

test('an unknown fact of a DENY is never taken for missing', async () => {
  // With \`locked\` left out, the engine would allow it.
  await passes('owner: ann', 'resource.attr.locked', 'view: EFFECT_ALLOW, edit: UNKNOWN', 'level: 2');
  await passes('owner: ann', 'resource.attr.locked', 'view: EFFECT_ALLOW, edit: EFFECT_ALLOW', 'level: 3');
  await passes('owner: ann, locked: true', 'auxData.jwt.level', 'view: EFFECT_ALLOW, edit: UNKNOWN', 'level: 3');
  await passes('owner: ann, locked: true', 'auxData.jwt.level', 'view: EFFECT_ALLOW, edit: UNKNOWN');
});

test('facts have any name, and several may be unknown', async () => {
  const expected = 'archive: UNKNOWN';
  await passes('', `'resource.attr["left over"]'`, expected, '', 'now: "2026-05-01T00:00:00Z"');
  // The time alone decides.
  await passes('', `'resource.attr["left over"]'`, 'archive: EFFECT_DENY', '', 'now: "2025-05-01T00:00:00Z"');
  await passes('', `${OWNER}, resource.attr.public, auxData.jwt.level`, 'view: UNKNOWN, edit: UNKNOWN');
});

test('a failed test names the facts that the decision needs', async () => {
  const lines = await failed('public: false', OWNER, 'view: EFFECT_ALLOW, edit: UNKNOWN');
  assert.equal(lines, ['OUTCOME: expected: EFFECT_ALLOW, actual: UNKNOWN', `NEEDS: ${OWNER}`]);
  assert.equal(await failed('public: true', OWNER, 'view: UNKNOWN, edit: UNKNOWN'), [
    'OUTCOME: expected: UNKNOWN, actual: EFFECT_ALLOW',
  ]);
  // An action that is not listed is expected to be denied.
  const unlisted = await failed('public: true', OWNER, 'view: EFFECT_ALLOW', '[view, edit]');
  assert.is(unlisted[0], 'OUTCOME: expected: EFFECT_DENY, actual: UNKNOWN');
});

test('JSON has these facts as data', async () => {
  const { report } = await run(suiteOf('public: true', OWNER, 'view: UNKNOWN, edit: UNKNOWN'), { format: 'json' });
  const actions = JSON.parse(report).suites[0].testCases[0].principals[0].resources[0].actions as unknown;
  assert.equal(actions, [
    {
      name: 'view',
      details: { result: 'RESULT_FAILED', failure: { expected: 'UNKNOWN', actual: 'EFFECT_ALLOW' } },
    },
    { name: 'edit', details: { result: 'RESULT_PASSED', success: { effect: 'UNKNOWN', needs: [OWNER] } } },
  ]);
});

test('strict evaluation reads all rules of an action, so each that reads an unknown fact is UNKNOWN', async () => {
  const strict = 'strictEvaluation: true';
  await passes('public: true', OWNER, 'view: UNKNOWN, edit: UNKNOWN', '', strict);
  await passes('public: true, owner: bob', 'resource.attr.locked', 'view: EFFECT_ALLOW, edit: UNKNOWN', '', strict);
  await passes('public: false, owner: bob', `'resource.attr["left over"]'`, 'view: EFFECT_DENY', '', strict);
});

test('a condition that reads the time needs one', async () => {
  const text = suiteOf('', `'resource.attr["left over"]'`, 'archive: UNKNOWN');
  const { results } = await run(text);
  assert.is(results.suites[0]?.cases[0]?.details.kind, 'errored');
});

test('UNKNOWN is refused in a test that knows all facts', async () => {
  assert.is(
    await refusal(suiteOf('', '', 'view: UNKNOWN')),
    'failed to load test suite:\n9:64 tests[0].expected[0].actions["view"]: UNKNOWN can only be expected of a test that lists `unknown` facts',
  );
});

test('what is not a fact is refused, with what is meant', async () => {
  const notes: Readonly<Record<string, string | undefined>> = {
    'R.attr.owner': 'resource.attr.owner',
    'request.resource.attr.owner': 'resource.attr.owner',
    'P.attr.team': 'principal.attr.team',
    'aux_data.jwt.sub': 'auxData.jwt.sub',
    'resource.attr.address.city': 'resource.attr.address',
    'R.attr.address.city': 'resource.attr.address',
    owner: undefined,
    'resource.attr': undefined,
    'resource.attr.*': undefined,
    'resource.attr[owner]': undefined,
    'resource.attr[0]': undefined,
    'principal.roles': undefined,
    'resource.id': undefined,
    'auxData.jwts.a.claims.sub': undefined,
  };
  for (const [fact, suggested] of Object.entries(notes)) {
    const { results } = await run(suiteOf('', `'${fact}'`, 'view: UNKNOWN'));
    const [complaint] = results.suites[0]?.invalid?.complaints ?? [];
    assert.match(complaint?.text ?? '', `tests[0].unknown[0]: ${JSON.stringify(fact)} is not a fact`);
    assert.equal(
      complaint?.notes?.map(({ message }) => message),
      suggested === undefined ? [] : [`write \`${suggested}\``],
    );
  }
});

test('outputs are refused, as rules may have them or not', async () => {
  const outputs = ', outputs: [{action: view, expected: [{src: "resource.album.vdefault#owners", val: ann}]}]';
  const text = suiteOf('', OWNER, 'view: UNKNOWN').replace('UNKNOWN}', `UNKNOWN}${outputs}`);
  assert.match(await refusal(text), 'outputs: a test with `unknown` facts cannot expect outputs');
});

test('an empty list changes nothing', async () => {
  const text = suiteOf('owner: ann', '', 'view: EFFECT_ALLOW, edit: EFFECT_ALLOW').replace(
    '{name:',
    '{unknown: [], name:',
  );
  const { code, report } = await run(text);
  assert.is(code, 0, report);
});

test('a schema that may reject the fact leaves a decision open', async () => {
  const schema = { type: 'object', properties: { owner: { type: 'string' } }, required: ['owner'] };
  const schemas = 'schemas: {resourceSchema: {ref: "authz:///album.json"}}\n  rules:';
  const own = compileTexts(
    { 'album.yaml': ALBUM.replace('rules:', schemas) },
    { schemaTexts: new Map([['album.json', JSON.stringify(schema)]]) },
  );
  const text = suiteOf('public: true', OWNER, 'view: UNKNOWN, edit: UNKNOWN');
  const rejecting = await run(text, { schemaEnforcement: 'reject' }, own);
  assert.is(rejecting.code, 0, rejecting.report);
  const other = suiteOf('public: true', OWNER, 'view: EFFECT_ALLOW, edit: UNKNOWN');
  assert.is((await run(other, { schemaEnforcement: 'reject' }, own)).code, 4);
  assert.is((await run(other, {}, own)).code, 0);
  // What is known violates the schema, whatever is not.
  const violating = suiteOf('owner: 3, public: true', 'resource.attr.locked', 'view: EFFECT_DENY, edit: EFFECT_DENY');
  const { code, violations, report } = await run(violating, { schemaEnforcement: 'reject' }, own);
  assert.is(code, 0, report);
  assert.is(violations, 2);
});

test('an unknown fact that neither policies, schemas nor fixtures have is refused, with what is meant', async () => {
  const complaintAbout = async (fact: string, attr = '', own = compilation) => {
    const { results } = await run(suiteOf(attr, `${OWNER}, '${fact}'`, 'view: UNKNOWN'), {}, own);
    const [complaint] = results.suites[0]?.invalid?.complaints ?? [];
    return (
      complaint && [
        complaint.text,
        complaint.place?.span.source.text.slice(complaint.place.span.start, complaint.place.span.end),
        ...(complaint.notes ?? []).map(({ message }) => message),
      ]
    );
  };
  assert.equal(await complaintAbout('resource.attr.lockd'), [
    'unknown fact "resource.attr.lockd" not found: no policy, schema or fixture of the test has it',
    "'resource.attr.lockd'",
    'did you mean `resource.attr.locked`?',
  ]);
  assert.equal((await complaintAbout('auxData.jwt.levle'))?.slice(2), ['did you mean `auxData.jwt.level`?']);
  assert.equal((await complaintAbout('principal.attr.owner'))?.slice(2), []);
  // Of another side, of another action, and with any spelling.
  for (const fact of [
    'auxData.jwt.level',
    'resource.attr.public',
    'resource.attr["locked"]',
    'resource.attr["left over"]',
  ])
    assert.is(await complaintAbout(fact), undefined, fact);
  assert.is(await complaintAbout('resource.attr.lockd', 'lockd: true'), undefined);
  const schema = JSON.stringify({ type: 'object', properties: { title: {} }, additionalProperties: false });
  const withSchema = compileTexts(
    { 'album.yaml': `${ALBUM}  schemas: {resourceSchema: {ref: "authz:///album.json"}}\n` },
    { schemaTexts: new Map([['album.json', schema]]) },
  );
  assert.is(await complaintAbout('resource.attr.title', '', withSchema), undefined);
  assert.equal((await complaintAbout('resource.attr.titel', '', withSchema))?.slice(2), [
    'did you mean `resource.attr.title`?',
  ]);
  // All attributes may matter where they are read as a whole.
  const whole = compileTexts({ 'album.yaml': ALBUM.replace('R.attr.public == true', 'size(R.attr) == 1') });
  assert.is(await complaintAbout('resource.attr.anything', '', whole), undefined);
  assert.ok(await complaintAbout('principal.attr.anything', '', whole));
});

test('coverage counts what the engine evaluates: decisions that are made', async () => {
  const coveredBy = async (unknown: string, expected: string): Promise<number> => {
    const recorder = new CoverageRecorder(compilation.lowered as Program);
    const { code, report } = await run(suiteOf('public: true', unknown, expected), {}, compilation, recorder);
    assert.is(code, 0, report);
    return recorder.coverage().total.rules.covered;
  };
  assert.is(await coveredBy(OWNER, 'edit: UNKNOWN'), 0);
  assert.is(await coveredBy(OWNER, 'view: EFFECT_ALLOW'), 1);
  const requests: unknown[] = [];
  const { policies, traced } = await loaded(compilation);
  const { ask } = askPolicies(
    { policies, traces: await traced(), lowered: () => compilation.lowered },
    { strictEvaluation: false, schemaEnforcement: 'none' },
    ({ resource, action }) => requests.push([action, resource.attr]),
  );
  const text = suiteOf('public: true, owner: ann', OWNER, 'view: EFFECT_ALLOW, edit: UNKNOWN');
  for (const { question } of testCalls([suiteFiles(text)], { filter: new Map(), skipBatching: false, traced: false }))
    ask(question);
  assert.equal(requests, [['view', { public: true }]]);
});

test('a mutant that decides without a fact is killed', async () => {
  const program = compilation.lowered as Program;
  const { policies } = await loaded(compilation);
  const options = { strictEvaluation: false, schemaEnforcement: 'none' } as const;
  const countKilled = async (unknown: string, expected: string): Promise<number> => {
    const calls = testCalls([suiteFiles(suiteOf('public: true', unknown, expected))], {
      filter: new Map(),
      skipBatching: false,
      traced: false,
    });
    const report = await tryMutants(
      program,
      listMutants(program),
      {
        calls,
        options,
        compiled: policies,
      },
      { next: () => Promise.resolve(true) },
    );
    return report.total.killed;
  };
  assert.ok((await countKilled(OWNER, 'edit: UNKNOWN')) > 0);
  assert.ok((await countKilled(OWNER, 'view: EFFECT_ALLOW')) > 0);
});

test.run();

async function passes(attr: string, unknown: string, expected: string, claims = '', options = ''): Promise<void> {
  const { code, report } = await run(suiteOf(attr, unknown, expected, claims, options));
  assert.is(code, 0, `${attr}\n${report}`);
}

/** The lines below the first failed action. */
async function failed(attr: string, unknown: string, expected: string, actions?: string): Promise<readonly string[]> {
  const text = suiteOf(attr, unknown, expected);
  const { code, report } = await run(
    actions === undefined ? text : text.replace(/actions: \[.*?\]/, `actions: ${actions}`),
  );
  assert.is(code, 4);
  const lines = report.split('\n');
  const start = lines.findIndex((line) => line.endsWith('[FAILED]') && line.startsWith('        '));
  const end = lines.findIndex((line, index) => index > start && line === '');
  return lines.slice(start + 1, end).map((line) => line.trim());
}

async function refusal(text: string): Promise<string> {
  const { results, code } = await run(text);
  assert.is(code, 4);
  return results.suites[0]?.error ?? '';
}

/** A test of ann and an album, with each action that is expected. */
function suiteOf(attr: string, unknown: string, expected: string, claims = '', options = ''): string {
  const actions = expected.split(', ').map((one) => one.split(':')[0]);
  return `name: albums
principals: {ann: {id: ann, roles: [user]}}
resources: {a1: {kind: album, id: a1, attr: {${attr}}}}
auxData: {token: {jwt: {${claims}}}}
options: {${options}}
tests:
  - {name: one, ${unknown === '' ? '' : `unknown: [${unknown}], `}
     input: {principals: [ann], resources: [a1], actions: [${actions.join(', ')}], auxData: token},
     expected: [{principal: ann, resource: a1, actions: {${expected}}}]}
`;
}

function suiteFiles(text: string): SuiteFiles {
  return {
    path: 'a_test.yaml',
    file: { source: new Source('a_test.yaml', text) },
    fixtureFolder: 'testdata',
    principals: undefined,
    resources: undefined,
    auxData: undefined,
  };
}

async function run(
  text: string,
  options: Partial<PolicyTestOptions> = {},
  own = compilation,
  recorder?: CoverageRecorder,
) {
  const all: PolicyTestOptions = {
    filter: testFilter([]),
    skipBatching: false,
    strictEvaluation: false,
    schemaEnforcement: 'none',
    format: 'list',
    verbose: false,
    color: false,
    policyFolder: 'policies',
    ...options,
  } as PolicyTestOptions;
  const policies = { ...(await loaded(own)), lowered: () => own.lowered };
  return runPolicyTests(
    [suiteFiles(text)],
    policies,
    all,
    recorder && ((request, engineOptions) => recorder.record(request, engineOptions)),
  );
}
