import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { prismaAdapter } from './index.js';

const allowed = prismaAdapter<never>('Note', {
  provider: 'postgresql',
  id: { field: 'id', type: 'integer' },
  attributes: {
    owner: { field: 'ownerId', type: 'text' },
    nick: { field: 'nick', type: 'text', null: 'null' },
    size: { field: 'size', type: 'integer', null: 'never' },
    until: { field: 'until', type: 'timestamp' },
    tags: { field: 'tags', type: 'list' },
    home: { field: 'home', relation: 'one', attributes: { city: { field: 'city', type: 'text' } } },
    shares: {
      field: 'shares',
      relation: 'many',
      attributes: { user: { field: 'userId', type: 'text', null: 'never' } },
    },
    readers: { field: 'shares', relation: 'many', value: { field: 'userId', type: 'text' } },
    'place.city': { field: 'city', type: 'text' },
  },
} as never);

const RECORD = {
  id: 7,
  ownerId: null,
  nick: null,
  size: 12n,
  until: null,
  tags: null,
  home: null,
  shares: [],
  city: null,
};

const test = suite('records of Prisma as attributes');

test('NULL is missing or null as the mapping says, and values are what check receives', () => {
  assert.equal(allowed.resourceOf(RECORD), {
    id: '7',
    attr: { nick: null, size: 12, tags: [], shares: [], readers: [], place: {} },
  });
  const full = {
    ...RECORD,
    ownerId: 'anna',
    until: new Date('2024-02-29T12:00:00.5Z'),
    tags: ['x'],
    home: { city: 'Bern' },
    shares: [{ userId: 'bob' }],
    city: 'Chur',
  };
  assert.equal(allowed.attributesOf(full), {
    owner: 'anna',
    nick: null,
    size: 12,
    until: '2024-02-29T12:00:00.500Z',
    tags: ['x'],
    home: { city: 'Bern' },
    shares: [{ user: 'bob' }],
    readers: ['bob'],
    place: { city: 'Chur' },
  });
});

test('a record without a field or a relation is refused', () => {
  const { shares: _, ...without } = RECORD;
  assert.throws(
    () => allowed.attributesOf(without),
    /`shares` of a record of `Note` was not read: select or include it/,
  );
  assert.throws(
    () => allowed.attributesOf({ ...RECORD, size: null }),
    /is NULL, and the mapping declares `null: 'never'`/,
  );
  assert.throws(() => allowed.attributesOf({ ...RECORD, nick: 1 }), /a value of type number/);
});

test.run();
