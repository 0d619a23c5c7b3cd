import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  coverTests,
  diffPolicies,
  explainDecision,
  listReadSets,
  loadPolicies,
  PolicyError,
  type PolicyTexts,
  type Solver,
  verifyPolicies,
} from '../../packages/cli/analysis-library.js';
import { compilePolicies } from '../../compiler/index.js';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { folderOf } from '../support/cli/programs.js';

/** The entry `authzc/analysis`; tests/package runs it as users get it. library-reports.test.ts compares it with commands. */
const test = suite('analyses as a library');

const PRINCIPAL = { id: 'alice', roles: ['user'] };
const RESOURCE = { kind: 'album', id: 'a1', attr: { owner: 'bob', visibility: 'private' } };
const WARNED = `${documentPolicy('view')}  variables: {local: {unused: "1"}}\n`;

test('loaded policies can be compiled again', async () => {
  const folder = folderOf({ 'document.yaml': WARNED });
  const policies = loadPolicies(folder);
  rmSync(folder, { recursive: true, force: true });
  const { report } = compilePolicies(policies);
  assert.is(report.warnings.length, 1);
  assert.is((await diffPolicies(policies, policies)).summary.unchanged, 2);
  assert.equal(compilePolicies(policies).report, report);
});

test('policies that do not compile are an error with the diagnostics of each set', async () => {
  const [good, bad] = [policy(documentPolicy('view')), policy(BROKEN_POLICY)];
  const both = await errorOf(diffPolicies(bad, bad));
  assert.equal(Object.keys(both.reports), ['old', 'new']);
  assert.match(both.message, /^old: document\.yaml:\d+:\d+: error\[[^\n]+\nnew: document\.yaml:/);
  const one = await errorOf(diffPolicies(good, bad));
  assert.equal(one.reports, { new: compilePolicies(bad).report });
  for (const refused of [
    verifyPolicies(bad),
    listReadSets(bad),
    explainDecision(bad, { principal: PRINCIPAL, resource: RESOURCE, action: 'view' }),
    coverTests(bad, []),
  ])
    assert.equal((await errorOf(refused)).reports, { policies: compilePolicies(bad).report });
});

test('a solver is started once, when it is needed, and closed', async () => {
  const uses: string[] = [];
  const solver = (): Promise<Solver> => {
    uses.push('start');
    return Promise.resolve({
      name: 'nothing',
      run: () => Promise.resolve(undefined),
      close: () => Promise.resolve(void uses.push('close')),
    });
  };
  await diffPolicies(conditional('R.attr.a'), conditional('R.attr.a && R.attr.b'), { solver });
  assert.equal(uses, []);
  const [old, new_] = [conditional('R.attr.a < 2 && R.attr.a < 3'), conditional('R.attr.a < 2')];
  const { limits } = await diffPolicies(old, new_, { solver });
  assert.is(limits.solver, 'nothing');
  assert.equal(uses, ['start', 'close']);
  const failed = await diffPolicies(old, new_, { solver: () => Promise.reject(new Error('no such solver')) }).catch(
    (error: unknown) => error,
  );
  assert.is(String(failed), 'Error: no such solver');
});

test('a signal ends an analysis: what is left is undecided', async () => {
  const [old, new_] = [conditional('R.attr.a'), conditional('R.attr.b')];
  const timeout = AbortSignal.abort(new DOMException('it took too long', 'TimeoutError'));
  for (const [signal, isInterrupted] of [
    [AbortSignal.abort(), true],
    [timeout, false],
  ] as const) {
    const { rows, limits } = await diffPolicies(old, new_, { signal });
    assert.equal(
      rows.map(({ widened }) => widened.answer === '?' && widened.reason),
      [false, 'time'],
    );
    assert.is(limits.interrupted === true, isInterrupted);
  }
});

test('nothing is proved about strict evaluation, which can be explained', async () => {
  // In strict evaluation, the first part fails.
  const either = 'any: {of: [{expr: R.attr.a}, {expr: R.attr.b}]}';
  const policies = policy(`${documentPolicy('view')}      condition: {match: {${either}}}\n`);
  const engine = { strictEvaluation: true };
  // @ts-expect-error: proofs are about default evaluation
  const refused = await diffPolicies(policies, policies, { engine }).catch((error: unknown) => error);
  assert.match(String(refused), /^Error: strict evaluation is not supported yet/);
  const resource = { kind: 'document', id: 'd1', attr: { b: true } };
  const request = { principal: PRINCIPAL, resource, action: 'view' };
  assert.is((await explainDecision(policies, request)).decision, 'ALLOW');
  assert.is((await explainDecision(policies, request, { engine })).decision, 'DENY');
});

test('an explanation is of the time of the engine, and has as many sets of changes as asked for', async () => {
  const policies = conditional('now() < timestamp("2025-01-01T00:00:00Z") && R.attr.a == 1');
  const resource = { kind: 'document', id: 'd1', attr: { a: 2 } };
  const request = { principal: PRINCIPAL, resource, action: 'view' };
  const clock = () => ({ seconds: 0, nanos: 0, offset: 0 });
  const changesOf = async (options: Parameters<typeof explainDecision>[2]) =>
    (await explainDecision(policies, request, options)).nearMisses?.changes.length;
  assert.is(await changesOf({}), 0);
  assert.is(await changesOf({ engine: { clock } }), 1);
  assert.is(await changesOf({ engine: { clock }, near: 0 }), 0);
  assert.is(await changesOf({ engine: { clock }, keep: 'resource' }), 0);
});

test('tests in memory have fixtures beside them, and a filter', async () => {
  const text = `name: documents
tests:
  - name: users view
    input: {principals: [ann], resources: [d1], actions: [view, edit]}
    expected: [{principal: ann, resource: d1, actions: {view: EFFECT_ALLOW}}]
`;
  const tests = [
    { path: 'document_test.yaml', text },
    { path: 'testdata/principals.yaml', text: 'principals: {ann: {id: ann, roles: [user]}}' },
    { path: 'testdata/resources.yaml', text: 'resources: {d1: {kind: document, id: d1}}' },
  ];
  const policies = policy(documentPolicy('view'));
  const all = await coverTests(policies, tests);
  assert.is(all.tests.summary.testsCount, 2);
  assert.equal(all.coverage.total.rules, { covered: 1, all: 1 });
  const some = await coverTests(policies, tests, { filter: 'action=edit' });
  assert.is(some.tests.summary.testsCount, 1);
  assert.equal(some.coverage.total.rules, { covered: 0, all: 1 });
  const malformed = await coverTests(policies, tests, { filter: 'edit' }).catch((error: unknown) => error);
  assert.match(String(malformed), /^Error: invalid test filter/);
});

test.run();

function policy(text: string): PolicyTexts {
  return { policies: [{ path: 'document.yaml', text }] };
}

/** Users may view documents where a condition holds. */
function conditional(expr: string): PolicyTexts {
  return policy(`${documentPolicy('view')}      condition: {match: {expr: ${JSON.stringify(expr)}}}\n`);
}

async function errorOf(refused: Promise<unknown>): Promise<PolicyError> {
  const error = await refused.catch((thrown: unknown) => thrown);
  assert.instance(error, PolicyError);
  return error as PolicyError;
}
