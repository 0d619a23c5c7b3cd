import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { mongodbAdapter } from '../../packages/adapters/mongodb/index.js';
import { prismaAdapter } from '../../packages/adapters/prisma/index.js';

const test = suite('attributes within attributes of a mapping');

const REFUSED = /^`R\.attr\.(a\.)?meta\.owner` is a field of `R\.attr\.(a\.)?meta`, which is mapped too/;

/** The attributes of a mapping, in both orders. */
function* orders(whole: object | string, field: object | string): Generator<object> {
  yield { meta: whole, 'meta.owner': field };
  yield { 'meta.owner': field, meta: whole };
}

test('adapters for SQL refuse a column for a field of a document', () => {
  const create = (attributes: object) => () =>
    kyselyAdapter<object, never>('notes' as never, { dialect: 'sqlite', attributes } as never);
  for (const attributes of orders({ column: 'meta', type: 'json' }, { column: 'owner', type: 'text' })) {
    assert.throws(create(attributes), REFUSED);
    assert.throws(
      create({ a: { relation: 'one', table: 'others', on: { id: 'other' }, columns: attributes } }),
      REFUSED,
    );
  }
  assert.not.throws(
    create({ 'meta.owner': { column: 'owner', type: 'text' }, 'meta.size': { column: 'size', type: 'integer' } }),
  );
});

test('the adapter for Prisma refuses a field for a field of a related record', () => {
  const create = (attributes: object) => () => prismaAdapter('Note', { provider: 'sqlite', attributes } as never);
  const owner = { field: 'owner', type: 'text' };
  for (const attributes of orders({ field: 'meta', relation: 'one', attributes: { owner } }, owner)) {
    assert.throws(create(attributes), REFUSED);
    assert.throws(create({ a: { field: 'a', relation: 'one', attributes } }), REFUSED);
  }
});

test('the adapter for MongoDB refuses another field for a field of an object', () => {
  const create = (attributes: object) => () => mongodbAdapter('notes', { attributes } as never);
  for (const attributes of orders('meta', 'owner')) assert.throws(create(attributes), REFUSED);
  for (const attributes of orders('stored', { field: 'stored.owner', type: 'date' }))
    assert.not.throws(create(attributes), 'the dates of an object');
});

test.run();
