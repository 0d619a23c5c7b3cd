import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('rules with equal names');

test('each rule has its own condition, also in strict evaluation (docs/spec/policy-language.md#principalpolicy)', async () => {
  const block = (resource: string, expr: string): unknown => ({
    resource,
    actions: [{ name: 'same', action: 'view', effect: 'EFFECT_ALLOW', condition: { match: { expr } } }],
  });
  const rules = [block('x', 'R.attr.n == 1'), block('y', 'R.attr.n == 2')];
  const policy = { apiVersion: 'api.authz.dev/v1', principalPolicy: { principal: 'ann', version: 'default', rules } };
  const { policies, traced } = await loaded(compileTexts({ 'ann.yaml': JSON.stringify(policy) }));
  for (const engine of [
    createEngine(policies),
    createEngine(policies, { strictEvaluation: true, traced: await traced() }),
  ]) {
    const allowed = (kind: string, n: number): boolean =>
      engine.isAllowed({
        principal: { id: 'ann', roles: ['user'] },
        resource: { kind, id: '1', attr: { n } },
        action: 'view',
      });
    assert.equal([allowed('x', 1), allowed('x', 2), allowed('y', 1), allowed('y', 2)], [true, false, false, true]);
  }
});

test.run();
