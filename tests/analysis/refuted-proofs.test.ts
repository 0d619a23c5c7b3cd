import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import { diffList } from '../../packages/analysis/diff/report/list.js';
import { markdownDiff } from '../../packages/analysis/diff/report/markdown.js';
import { prettyDiff } from '../../packages/analysis/diff/report/pretty.js';
import type { Prover } from '../../packages/analysis/question/question.js';
import { prettyVerification } from '../../packages/analysis/verify/report/pretty.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import { chooseExitCode as diffExitCode } from '../../packages/cli/commands/diff.js';
import { chooseExitCode as verifyExitCode } from '../../packages/cli/commands/verify.js';
import { plain } from '../../compiler/diagnostics/paint.js';
import { programVersion } from '../support/analysis/program-version.js';
import { compileTexts } from '../support/compiled.js';

const test = suite('proofs that requests refute');

/** A prover that proves anything. */
const WRONG: Prover = {
  name: 'wrong',
  prove: () => Promise.resolve({ answer: 'no', by: 'solver' }),
  close: () => Promise.resolve(),
};

/** Without a search, which would find the request first. */
const OPTIONS = { effort: 0, prover: () => Promise.resolve(WRONG) };

/**
 * Pairs of conditions that decide differently only where functions get strings that they accept: by the side of an `==`,
 * by what a trust domain equals, by how often `in` fails.
 */
const PAIRS: readonly (readonly [string, string])[] = [
  ['spiffeID(P.id) == dyn(R.attr.owner)', 'R.attr.owner == dyn(spiffeID(P.id))'],
  ['spiffeID(R.attr.x) == dyn(R.attr.y)', 'dyn(R.attr.y) == spiffeID(R.attr.x)'],
  ['!(R.attr.y == dyn(hierarchy(R.attr.x)))', '!(dyn(hierarchy(R.attr.x)) == R.attr.y)'],
  [
    '!(dyn(hierarchy(R.attr.x)) in ["a", "b"])',
    '!(dyn(hierarchy(R.attr.x)) == "a") && !(dyn(hierarchy(R.attr.x)) == "b")',
  ],
  ['V.domain == R.attr.y', 'false'],
  ['dyn(spiffeTrustDomain(P.attr.x)) == R.attr.y', 'spiffeTrustDomain(P.attr.x).name() == R.attr.y'],
  ['timestamp(R.attr.x) == timestamp(R.attr.y)', 'timestamp(R.attr.x) == timestamp(R.attr.y) && R.attr.x == R.attr.y'],
  [
    'duration(R.attr.?x.orValue("x")) == duration(R.attr.y)',
    'duration(R.attr.x) == duration(R.attr.y) && R.attr.x == R.attr.y',
  ],
  ['R.attr.x.exists(e, hierarchy(e).ancestorOf(hierarchy(R.attr.y)))', 'false'],
  ['ip(R.attr.x) == ip(R.attr.y)', 'false'],
];

test('tries give functions strings that they accept: each pair is told apart, by a search and where a proof says otherwise', async () => {
  for (const [one, other] of PAIRS) {
    const [before, after] = [versionOf(one), versionOf(other)];
    for (const options of [OPTIONS, {}]) {
      const { rows } = await diffVersions(before, after, options);
      const answers = rows
        .filter(({ action }) => action === 'view')
        .flatMap(({ widened, narrowed }) => [widened, narrowed])
        .map((own) => (own.answer === '?' ? own.reason : own.answer));
      assert.ok(answers.includes(options === OPTIONS ? 'proof refuted' : 'yes'), `${one}, ${other}: ${answers.join()}`);
    }
  }
});

test('a row is not decided, other rows are reported, and the exit code is its own', async () => {
  const [before, after] = [versionOf('R.attr.x < 2 || R.attr.y'), versionOf('R.attr.x < 2 || R.attr.x > 5')];
  const report = await diffVersions(before, after, OPTIONS);
  assert.equal(
    report.rows.map(({ action, verdict }) => [action, verdict]),
    [
      ['edit', 'unchanged'],
      ['something', 'unchanged'],
      ['view', 'not decided'],
    ],
  );
  const widened = report.rows[2]?.widened;
  assert.ok(widened?.answer === '?' && widened.reason === 'proof refuted');
  assert.equal(widened.request?.principal.roles, ['user']);
  assert.equal(Object.keys(widened.request?.resource.attr ?? {}), ['x']);
  const style = { paint: plain, pathOf: (_: string, file: string) => file, took: undefined };
  assert.match(
    prettyDiff(report, style),
    /widening: not decided, a request refutes the proof.*\n.*principal .*\n.*"x":/,
  );
  assert.match(diffList(report), /undecided=widening:proof-refuted .*"x":/);
  assert.match(markdownDiff(report), /"x":.*refutes a proof/);
  for (const failOn of [[], ['widened'] as const]) assert.is(diffExitCode(report, failOn), 5);
});

test('so is a statement', async () => {
  const statement = { name: 'never', never: { resource: 'doc', actions: ['view'] } };
  const { invariants } = compileTexts({
    ...textsOf('R.attr.x < 2'),
    'invariants.json': document({ invariants: { name: 'all', statements: [statement] } }),
  });
  const report = await verifyStatements(versionOf('R.attr.x < 2'), invariants, OPTIONS);
  const [row] = report.statements[0]?.rows ?? [];
  assert.is(row?.answer, 'undecided');
  assert.is(row?.reason, 'proof refuted');
  assert.equal(report.summary, { statements: 1, proved: 0, refuted: 0, undecided: 1 });
  const style = { paint: plain, pathOf: (file: string) => file };
  assert.match(prettyVerification(report, style), /not decided: a request refutes the proof[\s\S]*principal/);
  for (const allowsUndecided of [true, false]) assert.is(verifyExitCode(report, allowsUndecided), 5);
});

test.run();

function textsOf(expr: string): { readonly [path: string]: string } {
  const rule = (action: string, more: object): object => ({
    actions: [action],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    ...more,
  });
  const rules = [rule('edit', {}), rule('view', { condition: { match: { expr } } })];
  const variables = { local: { domain: '[spiffeTrustDomain(R.attr.x)][0] == R.attr.y ? R.attr.y : "-"' } };
  return { 'doc.yaml': document({ resourcePolicy: { resource: 'doc', version: 'default', variables, rules } }) };
}

function document(members: object): string {
  return JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...members });
}

function versionOf(expr: string): PolicyVersion {
  return programVersion(textsOf(expr));
}
