import type { JsonValue } from '../../../runtime/residual/filters.js';

/** A row of the conformance kit, as check receives it. */
export interface ConformanceRow {
  readonly id: string;
  /**
   * Whether its values have the types of `FIELDS`. A store with columns or a mapping of types loads these rows alone; a
   * store of documents loads all.
   */
  readonly isTyped: boolean;
  readonly attr: { readonly [name: string]: JsonValue };
}

/** An attribute of the rows. */
export interface ConformanceField {
  readonly type: 'text' | 'integer' | 'number' | 'boolean' | 'texts' | 'object' | 'objects';
  /** Whether the attribute of a typed row may be missing, is there and may be null, or is never null. */
  readonly null: 'missing' | 'null' | 'never';
  /** The fields of an object, or of each object of a list. */
  readonly fields?: { readonly [name: string]: ConformanceField };
}

const TEXT: ConformanceField = { type: 'text', null: 'missing' };

/** The attributes of typed rows. */
export const FIELDS: { readonly [name: string]: ConformanceField } = {
  owner: TEXT,
  status: TEXT,
  amount: { type: 'integer', null: 'missing' },
  price: { type: 'number', null: 'null' },
  shared: { type: 'boolean', null: 'missing' },
  tags: { type: 'texts', null: 'never' },
  home: { type: 'object', null: 'missing', fields: { city: TEXT, size: { type: 'integer', null: 'missing' } } },
  shares: {
    type: 'objects',
    null: 'never',
    fields: { user: { type: 'text', null: 'never' }, role: TEXT },
  },
};

const typed = (id: string, attr: ConformanceRow['attr']): ConformanceRow => ({
  id,
  isTyped: true,
  attr: { price: null, tags: [], shares: [], ...attr },
});

/**
 * Related rows of every row that an application hides, such as deleted ones: stores in which `home` and `shares` are tables
 * of their own load them as hidden, and no condition may count them. A row that has a `home` has no hidden one.
 */
export const HIDDEN = {
  home: { city: 'Bern', size: 3 },
  shares: [
    { user: 'anna', role: 'editor' },
    { user: 'bob', role: 'viewer' },
  ],
} as const;

const untyped = (id: string, attr: ConformanceRow['attr']): ConformanceRow => ({ id, isTyped: false, attr });

const PLAIN = {
  owner: 'anna',
  status: 'open',
  amount: 2,
  price: 1.5,
  shared: true,
  tags: ['x'],
  home: { city: 'Bern', size: 3 },
  shares: [{ user: 'anna', role: 'editor' }],
};

const OTHER_VALUES: { readonly [name: string]: JsonValue } = {
  null: null,
  text: 'anna',
  'empty text': '',
  digits: '2',
  one: 1,
  half: 0.5,
  true: true,
  false: false,
  'empty list': [],
  'list of itself': ['anna'],
  'list of numbers': [2],
  'list of booleans': [true],
  'list of null': [null],
  'list of lists': [['x'], ['anna']],
  'list of objects': [{ user: 'anna', role: 'editor', city: 'Bern' }],
  'list of anything': ['x', 1, null, true, ['x'], { user: 'anna' }, {}, []],
  'empty object': {},
  object: { user: 'anna', role: 'editor', city: 'Bern' },
  'object with keys': { x: 1, anna: 1 },
  'object of objects': { city: { city: 'Bern' }, user: ['anna'] },
};

/** The rows: each typed row once, and every other value in the place of each attribute. */
export const ROWS: readonly ConformanceRow[] = [
  typed('nothing', {}),
  typed('plain', PLAIN),
  typed('empty', { owner: '', status: '', amount: 0, price: 0, shared: false, home: {}, shares: [{ user: '' }] }),
  typed('of somebody else', { ...PLAIN, owner: 'bob', shares: [{ user: 'bob', role: 'editor' }] }),
  typed('another case', { ...PLAIN, owner: 'Anna', status: 'OPEN', tags: ['X'], home: { city: 'bern' } }),
  typed('blanks', { ...PLAIN, owner: 'anna ', status: ' open', tags: ['x ', ' x'] }),
  typed('longer', { ...PLAIN, owner: 'anna2', status: 'opened', tags: ['xy'] }),
  typed('inside', { ...PLAIN, owner: 'my anna', status: 'reopen' }),
  typed('wildcards', { owner: 'a%', status: 'o_en', tags: ['%', '*'], home: { city: '.*' } }),
  typed('operators', { owner: '$eq', status: '$owner', tags: ['$ne', '{}'], home: { city: '$home.city' } }),
  typed('line breaks', { owner: 'anna\n', status: 'open\n', tags: ['x\n'], home: { city: '\nBern' } }),
  typed('quotes', { owner: `' OR 1=1 --`, status: '"', tags: [`'`, '\\'], home: { city: '\\' } }),
  typed('accents', { owner: 'a\u0308nna', status: 'ópen', tags: ['é', 'e\u0301'], home: { city: 'Zürich' } }),
  typed('beyond 16 bits', { owner: '\u{1F600}', status: '\uffff', tags: ['\u{1F600}x'] }),
  typed('large', { ...PLAIN, amount: 2147483647, price: 9007199254740993 }),
  typed('small', { ...PLAIN, amount: -2147483648, price: -0.1 }),
  typed('extreme', { price: 1.7976931348623157e308, amount: 1 }),
  typed('tiny', { price: 5e-324, amount: -1 }),
  typed('negative zero', { price: -0 }),
  typed('two tags', { ...PLAIN, tags: ['y', 'x'], shares: [] }),
  typed('a tag twice', { ...PLAIN, tags: ['y', 'y'], shares: [] }),
  typed('several shares', {
    ...PLAIN,
    shares: [
      { user: 'anna', role: 'viewer' },
      { user: 'bob', role: 'editor' },
    ],
  }),
  typed('a share without role', { ...PLAIN, shares: [{ user: 'anna' }, { user: 'bob', role: 'viewer' }] }),
  typed('no fields of home', { ...PLAIN, home: {}, shares: [{ user: 'anna' }] }),
  typed('a home without city', { ...PLAIN, home: { size: 0 } }),
  ...Object.keys(FIELDS).map((name) => {
    const without = Object.fromEntries(Object.entries(PLAIN).filter(([other]) => other !== name));
    return FIELDS[name]?.null === 'missing' ? typed(`no ${name}`, without) : untyped(`no ${name}`, without);
  }),
  ...Object.keys(FIELDS).flatMap((name) =>
    Object.entries(OTHER_VALUES).map(([other, value]) => untyped(`${name}: ${other}`, { ...PLAIN, [name]: value })),
  ),
  ...Object.entries(OTHER_VALUES).map(([other, value]) =>
    untyped(`home.city: ${other}`, { ...PLAIN, home: { city: value } }),
  ),
  ...Object.entries(OTHER_VALUES).map(([other, value]) =>
    untyped(`shares.user: ${other}`, { ...PLAIN, shares: [{ user: value, role: 'editor' }, { user: 'anna' }] }),
  ),
];
