import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { attributeProblems, BY_SCHEMA, codesFor, codesOf } from '../../tests/support/attribute-diagnostics.js';
import { allow, resourcePolicy, when } from '../../tests/support/warnings.js';

const CLOSED = {
  type: 'object',
  additionalProperties: false,
  required: ['owner'],
  properties: {
    owner: { type: 'string' },
    address: {
      type: 'object',
      additionalProperties: false,
      properties: { city: { type: 'string' }, geo: { $ref: '#/$defs/geo' } },
    },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
    pair: { type: 'array', prefixItems: [{ $ref: '#/$defs/geo' }], items: { type: 'string' } },
    tree: { $ref: '#/$defs/tree' },
    free: { type: 'object' },
    either: { anyOf: [{ $ref: '#/$defs/geo' }, { $ref: '#/$defs/item' }] },
    maybe: { type: ['object', 'null'], additionalProperties: false, properties: { a: {} } },
    gone: false,
  },
  $defs: {
    geo: { type: 'object', additionalProperties: false, properties: { lat: { type: 'number' } } },
    item: {
      type: 'object',
      additionalProperties: false,
      properties: { price: { type: 'number' }, name: { type: 'string' } },
    },
    tree: { type: 'object', additionalProperties: false, properties: { left: { $ref: '#/$defs/tree' } } },
  },
};

test('an attribute that a closed schema does not list is reported', () => {
  for (const text of [
    'R.attr.x == 1',
    'R.attr["x"] == 1',
    'request.resource.attr.x == 1',
    'has(R.attr.x)',
    '"x" in R.attr',
    'R.attr.?x.orValue(1) == 1',
    'R.attr.address.x == 1',
    'R.attr.address.geo.x == 1',
    'R.attr.items[0].x == 1',
    'R.attr.items.exists(i, i.x == 1)',
    'R.attr.items.all(n, i, i.x == 1)',
    'R.attr.items.filter(i, i.price > 1.0).exists(i, i.x == 1)',
    'R.attr.items.map(i, i.x) == []',
    'R.attr.pair[0].x == 1',
    'R.attr.tree.left.left.left.x == 1',
    'R.attr.either.x == 1',
    'R.attr.maybe.x == 1',
    'R.attr.gone == 1',
    'R.attr.owner.x == 1',
    'R.attr.pair[1].x == 1',
    'cel.bind(a, R.attr.address, a.x == 1)',
    'cel.bind(r, R, r.attr.x == 1)',
    '(P.id == "a" ? R.attr.address : R.attr.address).x == 1',
    'R.attr.?address.optMap(a, a.x).hasValue()',
  ]) {
    assert.equal(codesFor(text, CLOSED), ['unknown'], text);
  }
});

test('listed attributes and open schemas are not reported', () => {
  for (const text of [
    'R.attr.owner == P.id',
    'R.attr.address.geo.lat < 1.0',
    'R.attr.items.exists(i, i.name == "a" && i.price > 1)',
    'R.attr.tree.left.left != R.attr.tree',
    'R.attr.free.anything.at.all == 1',
    'R.attr.either.lat == 1.0 || R.attr.either.price == 1.0',
    'R.attr.maybe.a == 1',
    'R.attr[P.id] == 1',
    'P.attr.x == 1',
    'size(R.attr) == 1',
  ]) {
    assert.equal(codesFor(text, CLOSED), [], text);
  }
});

test('an open schema that lists other attributes is reported as not listing this one', () => {
  const lists = (rest: object): { readonly [key: string]: never } =>
    ({ type: 'object', properties: { owner: {} }, ...rest }) as never;
  assert.equal(codesFor('R.attr.x == 1', lists({})), ['not-in-schema']);
  assert.equal(codesFor('R.attr.x == 1', lists({ additionalProperties: true })), []);
  assert.equal(codesFor('R.attr.x == 1', lists({ additionalProperties: { type: 'number' } })), []);
  assert.equal(codesFor('R.attr.x == "a"', lists({ additionalProperties: { type: 'number' } })), ['never-equal']);
  assert.equal(codesFor('R.attr.x == 1', lists({ patternProperties: { '^x': {} } })), []);
  assert.equal(codesFor('R.attr.y == 1', lists({ patternProperties: { '^x': {} } })), ['not-in-schema']);
  assert.equal(codesFor('R.attr.x == 1', {}), []);
  assert.equal(codesFor('R.attr.x == 1', { type: 'object' }), []);
});

test('combined schemas: allOf and anyOf are analysed', () => {
  const a = { properties: { a: { type: 'string' } } };
  const b = { properties: { b: { type: 'number' } } };
  assert.equal(codesFor('R.attr.a == "" || R.attr.b == 1', { allOf: [a, b] }), []);
  assert.equal(codesFor('R.attr.c == ""', { allOf: [a, b] }), ['not-in-schema']);
  assert.equal(codesFor('R.attr.a == "" || R.attr.b == 1', { oneOf: [a, b] }), []);
  assert.equal(codesFor('R.attr.c == ""', { oneOf: [a, b] }), ['not-in-schema']);
  assert.equal(codesFor('R.attr.c == ""', { anyOf: [a, true] }), []);
  assert.equal(codesFor('R.attr.c == ""', { allOf: [a, b], unevaluatedProperties: false }), ['unknown']);
  assert.equal(codesFor('R.attr.b == 1', { allOf: [a, b], unevaluatedProperties: false }), []);
  assert.equal(codesFor('R.attr.b == 1', { if: a, then: b, else: { properties: { c: {} } } }), []);
  assert.equal(codesFor('R.attr.c == 1', { ...a, dependentSchemas: { a: { properties: { c: {} } } } }), []);
});

test('a schema with endless alternatives is not followed', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `d${n}`,
      n === 59
        ? { properties: { a: {} } }
        : { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { properties: { b: {} } }], allOf: [{ $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  assert.equal(codesFor('R.attr.a == 1', { $ref: '#/$defs/d0', $defs }), []);
});

test('the schemas of the root scope apply to all scopes, and those of other scopes to none', () => {
  const rule = allow('[view]', '[user]', when('R.attr.x == 1'));
  const scoped = (scope: string, fields: string): string => resourcePolicy([rule], `, scope: "${scope}"${fields}`);
  const root = resourcePolicy([allow('[view]', '[user]')], BY_SCHEMA);
  assert.equal(codesOf(attributeProblems([root, scoped('acme', '')], CLOSED)), ['unknown']);
  assert.equal(codesOf(attributeProblems([root.replace(BY_SCHEMA, ''), scoped('acme', BY_SCHEMA)], CLOSED)), []);
});

test('rules for only ignored actions are not type-checked', () => {
  const ignoring = BY_SCHEMA.replace('"}', '", ignoreWhen: {actions: ["create", "view:*"]}}');
  const of = (actions: string): readonly string[] =>
    codesOf(attributeProblems([resourcePolicy([allow(actions, '[user]', when('R.attr.x == 1'))], ignoring)], CLOSED));
  assert.equal(of('[create]'), []);
  assert.equal(of('[create, "view:public"]'), []);
  assert.equal(of('["view:*"]'), []);
  assert.equal(of('[create, edit]'), ['unknown']);
  assert.equal(of('["*"]'), ['unknown']);
});

test('variables and derived roles are analysed for every policy, and reported once at their own location', () => {
  const variables = "exportVariables: {name: vars, definitions: {is_x: 'R.attr.x == 1', y: 'R.attr.address'}}";
  const roles =
    'derivedRoles: {name: roles, definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: R.attr.ownr == P.id}}}]}';
  const policy = (resource: string): string =>
    `resourcePolicy: {resource: ${resource}, version: default${BY_SCHEMA}, importDerivedRoles: [roles], variables: {import: [vars]}, rules: [` +
    `{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner], condition: {match: {expr: V.is_x || V.y.z == 1}}}]}`;
  const problems = attributeProblems([policy('a'), policy('b'), roles, variables], CLOSED);
  assert.equal(
    problems.map((line) => /`(.*?)`/.exec(line)?.[1]),
    ['V.y.z', 'V.y.z', 'R.attr.ownr', 'R.attr.x'],
  );
});

test('outputs are analysed, and unused definitions are not', () => {
  const output = ", output: {when: {ruleActivated: 'R.attr.x', conditionNotMet: 'R.attr.z'}}";
  const fields = ", variables: {local: {unused: 'R.attr.w'}}";
  const problems = attributeProblems([resourcePolicy([allow('[view]', '[user]', output)], BY_SCHEMA + fields)], CLOSED);
  assert.equal(
    problems.map((line) => /`(.*?)`/.exec(line)?.[1]),
    ['R.attr.x', 'R.attr.z'],
  );
});

test('names such as __proto__ and constructor are ordinary', () => {
  assert.equal(codesFor('R.attr.constructor == 1', CLOSED), ['unknown']);
  assert.equal(codesFor('R.attr["__proto__"] == 1', CLOSED), ['unknown']);
  assert.equal(codesFor('R.attr.constructor == 1', { properties: { constructor: { type: 'number' } } }), []);
});

test.run();
