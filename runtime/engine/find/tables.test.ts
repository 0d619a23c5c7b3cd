import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALLOW, DENY, matchesAny, type Rule } from '../../policy/index.js';
import { type ShapeFacts, type TableShape, TableShapes, UNCONDITIONAL } from './tables.js';

const FACTS: ShapeFacts = {
  roles: new Map([['clerk', 1]]),
  roleGlobs: [],
  hasOutputs: false,
  isLast: false,
  alwaysVisited: false,
  crowded: false,
};

function rule(more: Partial<Rule>): Rule {
  return { name: 'a rule', effect: ALLOW, roles: 1, when: () => true, ...more };
}

function shapeOf(shapes: TableShapes, rules: readonly Rule[], facts: ShapeFacts = FACTS): TableShape {
  return shapes.of(
    { actions: new Map([['view', rules]]), otherActions: rules.filter(({ reaches }) => reaches !== undefined) },
    rules,
    facts,
  );
}

test('tables that differ in conditions share a shape', () => {
  const shapes = new TableShapes();
  assert.is(shapeOf(shapes, [rule({ name: 'one' })]), shapeOf(shapes, [rule({ name: 'other' })]));
});

test('tables that differ in anything else do not', () => {
  const shapes = new TableShapes();
  const shape = shapeOf(shapes, [rule({})]);
  const others = [
    shapeOf(shapes, [rule({ roles: 2 })]),
    shapeOf(shapes, [rule({ effect: DENY })]),
    shapeOf(shapes, [rule({ when: undefined })]),
    shapeOf(shapes, [rule({ reaches: (action) => action === 'x' })]),
    shapeOf(shapes, [rule({ reaches: (action) => action === 'y' })]),
    shapeOf(shapes, [rule({}), rule({})]),
    shapeOf(shapes, [rule({})], { ...FACTS, roles: new Map([['boss', 1]]) }),
    shapeOf(shapes, [rule({})], { ...FACTS, roleGlobs: [{ matches: (role) => role === 'x', bits: 1 }] }),
    shapeOf(shapes, [rule({})], { ...FACTS, isLast: true }),
  ];
  assert.is(new Set([shape, ...others]).size, others.length + 1);
});

test('rules with the same texts of actions share a shape', () => {
  const shapes = new TableShapes();
  assert.is(
    shapeOf(shapes, [rule({ reaches: matchesAny('view:*') })]),
    shapeOf(shapes, [rule({ reaches: matchesAny('view:*') })]),
  );
});

test('the denials stand first, the grants where the table is the last', () => {
  const rules = [rule({}), rule({ effect: DENY, when: undefined })];
  const conditions = (facts: ShapeFacts) =>
    shapeOf(new TableShapes(), rules, facts)
      .named.get('view')
      ?.map(({ condition }) => condition);
  assert.equal(conditions(FACTS), [UNCONDITIONAL, 0]);
  assert.equal(conditions({ ...FACTS, isLast: true }), [0, UNCONDITIONAL]);
});

test.run();
