import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { selects } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { NOW, policyOf } from '../support/plan/one-condition.js';

/** A bundle can evaluate the filters of its own plans. */
const test = suite('functions of filters');

/** The set functions have two forms that differ in the errors of arguments, and one name in filters. */
const CONDITIONS = [
  'hasIntersection(R.attr.tags, ["a"])',
  'R.attr.tags.hasIntersection(["a"])',
  'isSubset(R.attr.tags, ["a", "b"])',
  'R.attr.tags.isSubset(["a", "b"])',
  'size(intersect(R.attr.tags, ["a"])) == 1',
  'size(R.attr.tags.intersect(["a"])) == 1',
  'except(R.attr.tags, ["b"]) == ["a"]',
  'R.attr.tags.except(["b"]) == ["a"]',
];

for (const condition of CONDITIONS) {
  test(condition, async () => {
    const bundle = await loaded(compileTexts({ 'tagged.yaml': policyOf('tagged', condition) }));
    const engine = createEngine(bundle.policies);
    const principal = { id: 'ann', roles: ['user'], attr: {} };
    const { filter } = engine.plan({ principal, resource: { kind: 'tagged', attr: {} }, actions: ['read'] });
    assert.is(filter.kind, 'KIND_CONDITIONAL');
    for (const attr of [{ tags: ['a', 'b'] }, { tags: ['a'] }, { tags: ['c'] }, { tags: 'a' }, {}]) {
      const allowed = engine.isAllowed({ principal, resource: { kind: 'tagged', id: '1', attr }, action: 'read' });
      const row = { id: '1', attr, now: NOW };
      assert.is(bundle.selects?.(filter, row), allowed, JSON.stringify(attr));
      assert.is(selects(filter, row), allowed, JSON.stringify(attr));
    }
  });
}

test.run();
