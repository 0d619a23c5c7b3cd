import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Formula } from '../../packages/analysis/formula/formula.js';
import { FormulaKeys } from '../../packages/analysis/formula/keys.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { Answer, Prover } from '../../packages/analysis/question/question.js';
import { Answers, undecided } from '../../packages/analysis/solve/answers.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { programVersion } from '../support/analysis/program-version.js';

const test = suite('sets of many kinds');

/** The number of requests that are tried for each of some kinds, whose rules have one condition. */
async function triesOf(kinds: readonly string[], expr: string): Promise<readonly number[]> {
  const texts = kinds.map((kind) => {
    const rules = [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } }];
    const variables = { local: { ofKind: 'R.kind' } };
    const resourcePolicy = { resource: kind, version: 'default', variables, rules };
    return [`${kind}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy })] as const;
  });
  const { lowered } = programVersion(Object.fromEntries(texts));
  const answers = new Answers({
    keys: new FormulaKeys(),
    selecting: {},
    effort: 1,
    prover: undefined,
    isOver: () => false,
  });
  const tries: number[] = [];
  for (const module of lowered.modules) {
    if (module.kind !== 'resource') continue;
    const condition = module.rules[0]?.condition ?? invariant('each rule has a condition');
    const formula: Formula = { kind: 'holds', condition, module, failedIsNull: false };
    const point = {
      kind: module.kindName,
      isNamedKind: true,
      version: 'default',
      scope: '',
      isNamedScope: true,
      principal: undefined,
    };
    let asked = 0;
    await answers.answer(
      {
        formula,
        point,
        principals: new Set(),
        action: 'view',
        roles: ['user'],
        globals: undefined,
        schemas: [],
      },
      () => {
        asked += 1;
        return false;
      },
    );
    tries.push(asked);
  }
  return tries;
}

test('what was searched in vain for one kind is not searched for the next ones', async () => {
  const [first = 0, ...others] = await triesOf(['a', 'b', 'c'], 'R.attr.level > 1.0');
  assert.ok(first > 1000);
  assert.equal(others, [0, 0]);
});

test('a condition that may see the kind is searched for each', async () => {
  for (const expr of ['R.kind != R.attr.x', 'V.ofKind != R.attr.x'])
    for (const tries of await triesOf(['a', 'b'], expr)) assert.ok(tries > 1000, `${expr}: ${tries}`);
});

/** How often a solver is asked about a change of the same condition in 40 kinds, and how many rows are decided. */
async function askedOf(
  before: string,
  after: string,
  answer: Answer,
): Promise<readonly [asked: number, undecided: number]> {
  const versionOf = (expr: string): PolicyVersion =>
    programVersion(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => {
          const rules = [
            { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } },
          ];
          const resourcePolicy = { resource: `kind${index}`, version: 'default', rules };
          return [`${index}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy })] as const;
        }),
      ),
    );
  let asked = 0;
  const prove = async (): Promise<Answer> => {
    asked += 1;
    return answer;
  };
  const prover = async (): Promise<Prover> => ({ name: 'a solver', prove, close: async () => undefined });
  const { rows } = await diffVersions(versionOf(before), versionOf(after), { prover, effort: 1 });
  return [asked, rows.filter(({ action, widened }) => action === 'view' && widened.answer === '?').length];
}

test('a solver is asked once about the same change in many kinds, whatever it answers', async () => {
  const change = ['R.attr.level > 1.0', 'R.attr.level > 2.0'] as const;
  assert.equal(await askedOf(...change, { answer: 'no', by: 'solver' }), [1, 0]);
  assert.equal(await askedOf(...change, undecided('resource limit')), [1, 40]);
});

test('a solver is asked about each kind that a condition may see', async () => {
  const [asked] = await askedOf(
    'R.attr.level > 1.0 && R.kind != R.attr.x',
    'R.attr.level > 2.0 && R.kind != R.attr.x',
    {
      answer: 'no',
      by: 'solver',
    },
  );
  assert.is(asked, 40);
});

test.run();
