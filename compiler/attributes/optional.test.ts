import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { attributeProblems, BY_SCHEMA, missingIn } from '../../tests/support/attribute-diagnostics.js';
import { allow, resourcePolicy } from '../../tests/support/warnings.js';

const SCHEMA = {
  type: 'object',
  required: ['id', 'place'],
  properties: {
    id: { type: 'string' },
    x: { type: 'number' },
    y: { type: 'object', properties: { z: { type: 'number' } } },
    flag: { type: 'boolean' },
    place: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: { type: 'string' } } },
    items: { type: 'array', items: { type: 'object', properties: { a: { type: 'number' } } } },
  },
};

test('with strict types, reading an optional attribute without a guard is reported', () => {
  const expected: readonly (readonly [string, readonly string[]])[] = [
    ['R.attr.id == "" && R.attr.place.city == ""', []],
    ['R.attr.x == 1', ['R.attr.x']],
    ['R.attr["x"] == 1', ['R.attr["x"]']],
    ['R.attr.place.zip == ""', ['R.attr.place.zip']],
    ['R.attr.y.z == 1', ['R.attr.y', 'R.attr.y.z']],
    ['has(R.attr.y.z)', ['R.attr.y']],
    ['has(R.attr.x)', []],
    ['has(R.attr.x) && R.attr.x == 1', []],
    ['has(R.attr.x) && R.attr["x"] == 1', []],
    ['R.attr.x == 1 && has(R.attr.x)', []],
    ['R.attr.id == "" && (has(R.attr.x) && R.attr.x == 1)', []],
    ['has(R.attr.x) || R.attr.x == 1', ['R.attr.x']],
    ['!has(R.attr.x) || R.attr.x == 1', []],
    ['!(has(R.attr.x) && R.attr.x == 1)', []],
    ['has(R.attr.x) ? R.attr.x == 1 : R.attr.id == ""', []],
    ['has(R.attr.x) ? true : R.attr.x == 1', ['R.attr.x']],
    ['(has(R.attr.x) ? R.attr.flag : false) && R.attr.x == 1', ['R.attr.flag']],
    ['has(R.attr.y) && has(R.attr.y.z) && R.attr.y.z == 1', []],
    ['has(R.attr.y) && R.attr.y.z == 1', ['R.attr.y.z']],
    ['"x" in R.attr && R.attr.x == 1', []],
    ['R.attr.?x.hasValue() && R.attr.x == 1', []],
    ['R.attr.?x.orValue(1) == 1', []],
    ['R.attr.?y.z.orValue(1) == 1', []],
    ['has(R.attr.items) && R.attr.items.all(i, i.a == 1)', ['i.a']],
    ['has(R.attr.items) && R.attr.items.all(i, has(i.a) && i.a == 1)', []],
    ['has(R.attr.items) && R.attr.items.exists(i, has(i.a)) && R.attr.items.exists(i, i.a == 1)', ['i.a']],
    ['cel.bind(v, R.attr.place, has(v.zip) && R.attr.place.zip == "")', []],
    ['(has(R.attr.x) || has(R.attr.flag)) && R.attr.x == 1', ['R.attr.x']],
    ['has(P.attr.x) && R.attr.x == 1', ['R.attr.x']],
  ];
  for (const [text, missing] of expected) assert.equal([...missingIn(text, SCHEMA)].sort(), [...missing].sort(), text);
});

test('entries of a block are guarded by the entries above them', () => {
  const missing = (block: string): readonly string[] => {
    const rule = allow('[view]', '[user]', `, condition: {match: ${block}}`);
    return attributeProblems([resourcePolicy([rule], BY_SCHEMA)], SCHEMA, true);
  };
  assert.is(missing('{all: {of: [{expr: has(R.attr.x)}, {expr: R.attr.x == 1}]}}').length, 0);
  assert.is(missing('{all: {of: [{expr: R.attr.x == 1}, {expr: has(R.attr.x)}]}}').length, 1);
  assert.is(missing('{any: {of: [{expr: "!has(R.attr.x)"}, {expr: R.attr.x == 1}]}}').length, 0);
  assert.is(missing('{any: {of: [{expr: has(R.attr.x)}, {expr: R.attr.x == 1}]}}').length, 1);
  assert.is(missing('{none: {of: [{expr: "!has(R.attr.x)"}, {expr: R.attr.x == 1}]}}').length, 0);
  assert.is(missing('{all: {of: [{none: {of: [{expr: "!has(R.attr.x)"}]}}, {expr: R.attr.x == 1}]}}').length, 0);
  assert.is(
    missing('{all: {of: [{any: {of: [{expr: has(R.attr.x)}, {expr: "true"}]}}, {expr: R.attr.x == 1}]}}').length,
    1,
  );
});

test('guards apply through variables, derived roles and outputs', () => {
  assert.equal(missingIn('has(R.attr.x) && V.one', SCHEMA, ", variables: {local: {one: 'R.attr.x == 1'}}"), []);
  assert.equal(missingIn('V.one', SCHEMA, ", variables: {local: {one: 'R.attr.x == 1'}}"), ['R.attr.x']);
  assert.equal(missingIn('V.there && R.attr.x == 1', SCHEMA, ", variables: {local: {there: 'has(R.attr.x)'}}"), []);
  assert.equal(missingIn('has(V.one) && R.attr.id == ""', SCHEMA, ", variables: {local: {one: 'R.attr.x'}}"), []);
  const rule =
    "{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [r], output: {when: {ruleActivated: 'R.attr.x'}}}";
  const guarded =
    'derivedRoles: {name: roles, definitions: [{name: r, parentRoles: [user], condition: {match: {expr: has(R.attr.x)}}}]}';
  const policy = (written: string): string => resourcePolicy([written], `${BY_SCHEMA}, importDerivedRoles: [roles]`);
  assert.is(attributeProblems([policy(rule), guarded], SCHEMA, true).length, 0);
  assert.is(
    attributeProblems([policy(rule.replace('effect', 'roles: [user], effect')), guarded], SCHEMA, true).length,
    1,
  );
});

test('variables that use each other many times are analysed in bounded time', () => {
  const names = Array.from({ length: 40 }, (_, n) => n);
  const local = names
    .map((n) => (n === 0 ? "v0: 'R.attr.x == 1'" : `v${n}: '(has(R.attr.a${n}) && V.v${n - 1}) || V.v${n - 1}'`))
    .join(', ');
  const problems = attributeProblems(
    [
      resourcePolicy(
        [allow('[view]', '[user]', ', condition: {match: {expr: V.v39}}')],
        `${BY_SCHEMA}, variables: {local: {${local}}}`,
      ),
    ],
    { ...SCHEMA, additionalProperties: true },
    true,
  );
  assert.equal(problems, ['attribute/optional: `R.attr.x` may be missing: the schema does not require it']);
});

test.run();
