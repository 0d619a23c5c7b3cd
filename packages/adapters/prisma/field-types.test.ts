import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ColumnTypeError, prismaAdapter, type PrismaSchema } from './index.js';

const SCHEMA = `// model Draft { id Int }
datasource pg {
  provider = "postgresql" // the database
}
enum Mood {
  happy
  sad @map("SAD") // not "glad"
}
model Note {
  id      Int      @id
  owner   String   @default("@pg.Char(1) // {") @pg.VarChar(20)
  padded  String?  @pg.Char(8)
  loose   String?  @pg.Citext
  key     String?  @pg.Uuid
  address String?  @pg.Inet
  small   Int?     @pg.SmallInt
  large   BigInt?
  single  Float?   @pg.Real
  double  Float?
  price   Decimal? @pg.Decimal(10, 2)
  flag    Boolean?
  at      DateTime
  day     DateTime? @pg.Date
  time    DateTime? @pg.Time(3)
  data    Json?
  bytes   Bytes?
  shape   Unsupported("circle")?
  mood    Mood?
  moods   Mood[]
  tags    String[]
  padding String[] @pg.Char(4)
  sizes   Int[]
  home    Home?
  shares  Share[]
  @@index([
    owner,
    at
  ])
}
model Home {
  id     Int    @id
  noteId Int    @unique
  city   String
  note   Note   @relation(fields: [noteId], references: [id])
}
model Share {
  id     Int    @id
  userId BigInt
  noteId Int
  note   Note   @relation(fields: [noteId], references: [id])
}
`;

const WORDS = ['text', 'uuid', 'integer', 'integer-as-text', 'number', 'boolean', 'timestamp', 'list'];

/** Creates an adapter with one attribute. */
const create = (column: object, schema: PrismaSchema = SCHEMA, more: object = {}) =>
  prismaAdapter('Note', { provider: 'postgresql', attributes: { x: column }, ...more } as never, schema);

const eq = (variable: string, value: unknown, operator = 'eq') =>
  ({
    filter: { kind: 'KIND_CONDITIONAL', condition: { expression: { operator, operands: [{ variable }, { value }] } } },
  }) as never;
const X = 'request.resource.attr.x';

const test = suite('types of fields in a Prisma schema');

test('a word that does not fit the type of its field throws', () => {
  const fitting: { [field: string]: string } = {};
  for (const field of SCHEMA.match(/(?<=model Note \{)[\s\S]*?(?=@@)/)?.[0]
    .match(/^ {2}\w+/gm)
    ?.map((name) => name.trim()) ?? [])
    fitting[field] = WORDS.filter((type) => {
      try {
        return Boolean(create({ field, type }));
      } catch (error) {
        assert.instance(error, ColumnTypeError);
        return false;
      }
    }).join();
  assert.equal(fitting, {
    id: 'integer,integer-as-text',
    owner: 'text',
    padded: '',
    loose: '',
    key: 'uuid',
    address: '',
    small: 'integer,integer-as-text',
    large: 'integer,integer-as-text',
    single: '',
    double: 'number',
    price: '',
    flag: 'boolean',
    at: 'timestamp',
    day: '',
    time: '',
    data: '',
    bytes: '',
    shape: '',
    mood: 'text',
    moods: 'list',
    tags: 'list',
    padding: '',
    sizes: '',
    home: '',
    shares: '',
  });
});

test('messages name the attribute, the field, its type and the word to write', () => {
  const refused = (column: object, message: RegExp, more?: object) =>
    assert.throws(() => create(column, SCHEMA, more), message);
  refused(
    { field: 'large', type: 'text' },
    /^`R.attr.x`: the field `large` of `Note` has the type `BigInt\?`, and the mapping declares `type: 'text'`. Write `type: 'integer'`, or `type: 'integer-as-text'`$/,
  );
  refused(
    { field: 'padded', type: 'text' },
    /has the type `String\? @db.Char`, which no mapping supports: it pads with blanks/,
  );
  refused(
    { field: 'flag', type: 'boolean', null: 'never' },
    /`flag` of `Note` is optional, and the mapping declares `null: 'never'`/,
  );
  refused({ field: 'mood', type: 'text', values: ['happy', 'glad'] }, /has no value `glad`/);
  refused(
    { field: 'shares', relation: 'one', attributes: {} },
    /the type `Share\[\]`, and the mapping declares `relation: 'one'`/,
  );
  refused({ field: 'home', relation: 'one', null: 'never', attributes: {} }, /`home` of `Note` is optional/);
  refused(
    { field: 'shares', relation: 'many', attributes: { user: { field: 'userId', type: 'text' } } },
    /`R.attr.x.user`: the field `userId` of `Share` has the type `BigInt`/,
  );
  refused(
    { field: 'owner', relation: 'one', attributes: {} },
    /the type `String @db.VarChar`, which is not a relation/,
  );
  refused({ field: 'gone', type: 'text' }, /the model `Note` has no field `gone`/);
  refused({ field: 'owner', type: 'text' }, /`R.id`: the field `id` of `Note` has the type `Int`/, { id: 'id' });
  refused({ field: 'owner', type: 'text' }, /is for the provider `sqlite`, and the schema for `postgresql`/, {
    provider: 'sqlite',
  });
  assert.throws(() => prismaAdapter('Memo', { provider: 'postgresql', attributes: {} }, SCHEMA), /no model `Memo`/);
  assert.throws(
    () => create({ field: 'owner', type: 'text' }, 'generator client {\n}\n'),
    /cannot be read: the text has no model/,
  );
  assert.throws(() => create({ field: 'owner', type: 'text' }, { $extends: null }), /the client shows no model/);
});

test('the schema says which fields are required, the values of enums and the size of integers', () => {
  const where = (column: object, plan: never): string => JSON.stringify(create(column)(plan));
  assert.is(where({ field: 'owner', type: 'text' }, eq(X, 'ann', 'ne')), '{"AND":[{"owner":{"not":"ann"}}]}');
  assert.is(where({ field: 'mood', type: 'text' }, eq(X, 'glad')), '{"AND":[{"mood":{"in":[]}}]}');
  assert.is(where({ field: 'small', type: 'integer' }, eq(X, 40_000, 'lt')), '{"AND":[{"small":{"not":null}}]}');
  assert.is(
    where({ field: 'large', type: 'integer' }, eq(X, 2 ** 40, 'gt')),
    '{"AND":[{"large":{"gte":1099511627777,"not":null}}]}',
  );
  const [test] = (
    create({ field: 'large', type: 'integer-as-text' })(eq(X, '9007199254740993')) as {
      AND: { large: { equals: bigint } }[];
    }
  ).AND;
  assert.is(test?.large.equals, 9007199254740993n);
  assert.throws(() => where({ field: 'large', type: 'integer' }, eq(X, 2 ** 53, 'gt')), /more than 53 bits/);
  assert.throws(
    () =>
      prismaAdapter('Note', {
        provider: 'postgresql',
        attributes: { x: { field: 'large', type: 'integer' } },
      } as never)(eq(X, 2 ** 40, 'lt')),
    /an `Int` or a `BigInt`: pass the client/,
  );
});

test('a client or its DMMF says as much as it has', () => {
  const fields = [
    { name: 'large', kind: 'scalar', type: 'BigInt' },
    { name: 'tags', kind: 'scalar', type: 'String' },
    { name: 'mood', kind: 'enum', type: 'Mood' },
  ];
  const runtime = { $extends: null, _runtimeDataModel: { models: { Note: { fields } }, enums: {} } };
  const generated = { ...runtime, _engineConfig: { inlineSchema: SCHEMA, activeProvider: 'postgresql' } };
  const full = { isRequired: false, isList: false, nativeType: null };
  const dmmf = {
    datamodel: {
      models: [
        {
          name: 'Note',
          fields: [
            { ...fields[0], ...full },
            { name: 'padded', kind: 'scalar', type: 'String', ...full, nativeType: ['Char', ['8']] },
          ],
        },
      ],
      enums: [],
    },
  };
  for (const schema of [runtime, generated, dmmf]) {
    assert.throws(() => create({ field: 'large', type: 'number' }, schema), /has the type `BigInt/);
    assert.type(create({ field: 'large', type: 'integer' }, schema), 'function');
  }
  for (const schema of [generated, dmmf])
    assert.throws(() => create({ field: 'padded', type: 'text' }, schema), /which no mapping supports: it pads/);
  assert.type(create({ field: 'tags', type: 'list' }, runtime), 'function');
});

test.run();
