import mongoose from 'mongoose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mongodbAdapter } from './index.js';

const allowed = mongodbAdapter<{ readonly [field: string]: unknown }>('notes', {
  id: '_id',
  attributes: {
    owner: 'ownerId',
    'place.city': 'address.city',
    home: 'home',
    tags: 'tags',
    created: { field: 'createdAt', type: 'date' },
    shares: 'shares',
    'shares.until': { field: 'shares.until', type: 'date' },
  },
});
const DATE = new Date('2024-02-29T12:00:00.5Z');

const test = suite('documents of MongoDB as attributes');

test('a document has the attributes that filters read', () => {
  assert.equal(allowed.attributesOf({}), { place: {} });
  assert.equal(
    allowed.resourceOf({
      _id: 'n1',
      ownerId: null,
      address: { city: 'Bern' },
      home: { size: 1.5, of: undefined },
      tags: ['x', undefined, 1],
      createdAt: DATE,
      shares: [{ user: 'anna', until: DATE }, { until: null }],
      other: new Map(),
    }),
    {
      id: 'n1',
      attr: {
        owner: null,
        place: { city: 'Bern' },
        home: { size: 1.5 },
        tags: ['x', null, 1],
        created: '2024-02-29T12:00:00.500Z',
        shares: [{ user: 'anna', until: '2024-02-29T12:00:00.500Z' }, { until: null }],
      },
    },
  );
  assert.equal(allowed.attributesOf({ address: [{ city: 'Bern' }], tags: [] }), { place: {}, tags: [] });
});

test('a value that no condition reads is refused', () => {
  const { ObjectId, Decimal128 } = mongoose.Types;
  for (const value of [new ObjectId(), Decimal128.fromString('1'), Number.NaN, 1n, /x/, new Uint8Array(1), new Map()])
    for (const document of [{ ownerId: value }, { tags: [value] }, { home: { of: value } }])
      assert.throws(() => allowed.attributesOf(document), /of a document of `notes` is .*, which JSON does not have/);
  assert.throws(() => allowed.attributesOf({ ownerId: DATE }), /`ownerId` of a document of `notes` is a date: map it/);
  assert.throws(
    () => allowed.attributesOf({ createdAt: DATE.toISOString() }),
    /is not a date, and the mapping declares/,
  );
  assert.throws(() => allowed.attributesOf({ shares: [{ until: 'x' }] }), /is not a date/);
  assert.throws(() => allowed.resourceOf({ _id: new ObjectId() }), /which JSON does not have/);
  assert.throws(() => allowed.resourceOf({ _id: 7 }), /`_id` of a document of `notes` must be a string/);
  const Note = mongoose.model('DocumentOfTest', new mongoose.Schema({ _id: String, tags: [String] }));
  assert.throws(() => allowed.attributesOf(new Note({ _id: 'n1' })), /one of Mongoose, .* read it with `lean\(\)`/);
});

test.run();
