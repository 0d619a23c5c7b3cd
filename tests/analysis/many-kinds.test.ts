import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Formula } from '../../packages/analysis/formula/formula.js';
import { FormulaKeys } from '../../packages/analysis/formula/keys.js';
import { Answers } from '../../packages/analysis/solve/answers.js';
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

test.run();
