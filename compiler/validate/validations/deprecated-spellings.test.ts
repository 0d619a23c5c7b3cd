import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, conditional, resourcePolicy, warningsOf } from '../../../tests/support/warnings.js';

test('output.expr is deprecated in favour of output.when.ruleActivated (14)', () => {
  assert.equal(warningsOf(resourcePolicy([allow('[view]', '[user]', ", output: {expr: 'P.id'}")])), [
    'deprecated/output-expr: `output.expr` is deprecated',
  ]);
  assert.equal(
    warningsOf(resourcePolicy([allow('[view]', '[user]', ", output: {when: {ruleActivated: 'P.id'}}")])),
    [],
  );
});

test('top-level variables are deprecated in favour of local ones', () => {
  assert.equal(warningsOf(`${conditional('V.x && V.y')}\nvariables: {x: 'P.id == R.id', y: 'P.id == R.id'}`), [
    'deprecated/top-level-variables: top-level `variables` are deprecated',
  ]);
});

test('has_intersection and is_subset are deprecated', () => {
  assert.equal(warningsOf(conditional('has_intersection(P.roles, ["a"]) && P.roles.is_subset(["a"])')), [
    'deprecated/function: `has_intersection` is deprecated: it was renamed to `hasIntersection`',
    'deprecated/function: `is_subset` is deprecated: it was renamed to `isSubset`',
  ]);
  assert.equal(warningsOf(conditional('hasIntersection(P.roles, ["a"])')), []);
});

test.run();
