import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codesFor } from '../../tests/support/attribute-diagnostics.js';

const SCHEMA = {
  type: 'object',
  properties: {
    status: { enum: ['OPEN', 'CLOSED'] },
    kind: { const: 'album' },
    level: { type: 'integer', enum: [1, 2] },
    name: { type: 'string' },
    count: { type: 'integer' },
    price: { type: 'number' },
    flag: { type: 'boolean' },
    note: { type: ['string', 'null'] },
    old: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
    mixed: { enum: ['a', [1], null] },
    parts: { type: 'object', additionalProperties: { type: 'string' } },
    both: { allOf: [{ type: ['string', 'number'] }, { enum: ['x', 1, true] }] },
  },
};

test('values that the schema excludes are reported as never equal', () => {
  for (const text of [
    'R.attr.status == "OPN"',
    '"OPN" != R.attr.status',
    'R.attr.status == R.attr.kind',
    'R.attr.kind == "song"',
    'R.attr.level == 3',
    'R.attr.name == 1',
    'R.attr.count == 1.5',
    'R.attr.flag == "true"',
    'R.attr.note == 1',
    'R.attr.name == null',
    'R.attr.old == true',
    'R.attr.tags == "a"',
    'R.attr.tags[0] == "c"',
    'R.attr.tags.exists(t, t == "c")',
    '"c" in R.attr.tags',
    'R.attr.status in ["OPEN", "CLSED"]',
    'R.attr.status in R.attr.tags',
    'P.id in R.attr.name',
    'R.attr.mixed == "b"',
    'R.attr.parts.x == 1',
    'R.attr.both == true',
    'R.attr.name == C.one',
    'R.attr.status in C.list',
    'R.attr.status == (P.id == "a" ? "OPN" : "CLSD")',
    'R.attr.name < 1',
    'R.attr.flag > 1',
    'R.attr.tags < "a"',
    'V.status == "OPN"',
    'R.attr.?status.orValue("NONE") == "OPN"',
    'R.attr.name == size(R.attr.tags)',
  ]) {
    const fields = `${text.includes('C.') ? ', constants: {local: {one: 1, list: ["x", "y"]}}' : ''}${text.includes('V.') ? ", variables: {local: {status: 'R.attr.status'}}" : ''}`;
    const used = fields.replace(text.includes('C.one') ? ', list: ["x", "y"]' : 'one: 1, ', '');
    assert.equal(codesFor(text, SCHEMA, used), ['never-equal'], text);
  }
});

test('values that may be equal are not reported', () => {
  for (const text of [
    'R.attr.status == "OPEN"',
    'R.attr.status == P.attr.status',
    'R.attr.level == 1.0 || R.attr.level == 2u',
    'R.attr.price == 1 && R.attr.count < 1.5',
    'R.attr.note == null || R.attr.note == "a"',
    'R.attr.old == 1 || R.attr.old == "a"',
    '"a" in R.attr.tags',
    'R.attr.status in ["OPEN"]',
    'R.attr.status in P.attr.list',
    '"x" in R.attr.parts',
    'R.attr.mixed == [1] || R.attr.mixed == null',
    'R.attr.both == 1.0 || R.attr.both == "x"',
    'timestamp(R.attr.name) < now()',
    'R.attr.name == string(R.attr.count)',
    'R.attr.tags == ["c"]',
    'R.attr.name == P.id',
    'R.attr.?status == optional.none()',
    'R.attr.status == (P.id == "a" ? "OPN" : "OPEN")',
    '1 == P.attr.x',
    'R.attr.name in {"a": 1}',
  ]) {
    assert.equal(codesFor(text, SCHEMA), [], text);
  }
});

test('a constant of the policy is compared by its value', () => {
  const against = (attribute: string, constant: unknown): readonly string[] =>
    codesFor(`R.attr.${attribute} == C.c`, SCHEMA, `, constants: {local: {c: ${JSON.stringify(constant)}}}`);
  assert.equal(against('status', 'OPEN'), []);
  assert.equal(against('status', 'OPN'), ['never-equal']);
  assert.equal(against('note', null), []);
  assert.equal(against('name', null), ['never-equal']);
  assert.equal(against('tags', ['c']), []);
  assert.equal(against('tags', { a: 1 }), ['never-equal']);
  assert.equal(against('parts', { a: 1 }), []);
});

test.run();
