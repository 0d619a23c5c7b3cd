import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ColumnTypeError } from '../../packages/adapters/column-types.js';
import * as drizzle from '../../packages/adapters/drizzle.js';
import * as elasticsearch from '../../packages/adapters/elasticsearch.js';
import * as knex from '../../packages/adapters/knex.js';
import * as kysely from '../../packages/adapters/kysely.js';
import * as mikroOrm from '../../packages/adapters/mikro-orm.js';
import * as mongodb from '../../packages/adapters/mongodb/index.js';
import * as prisma from '../../packages/adapters/prisma/index.js';
import * as sequelize from '../../packages/adapters/sequelize.js';
import * as typeorm from '../../packages/adapters/typeorm.js';
import { ROOT } from '../support/compiled.js';
import { MAPPING, NOTE_LIBRARIES, writeNotes } from './note-libraries.js';

/*
 * The table of docs/adapters.md that says what each adapter can: found out by creating adapters with mappings, and from
 * what the modules export. `RECORD=1` writes it.
 */

interface Ability {
  readonly exports: object;
  readonly source: string;
  /** Creates an adapter by a mapping, which throws for what it cannot. */
  readonly create: (attributes: object) => object;
  /** How a plan is negated, as tests/adapters combine plans. */
  readonly negation: string;
}

test('docs/adapters.md has what each adapter can say', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-abilities-'));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    writeNotes(join(folder, 'notes.db'));
    const abilities: [string, Ability][] = [];
    for (const [name, [exports, source]] of Object.entries(OF_SQL)) {
      const library = await NOTE_LIBRARIES[name]?.(join(folder, 'notes.db'));
      if (library === undefined) throw new Error(`no library ${name}`);
      ends.push(() => library.end());
      const create = (attributes: object): object => library.create({ ...MAPPING, attributes });
      abilities.push([name, { exports, source, create, negation: '`negated: true`' }]);
    }
    abilities.push(...Object.entries(OTHERS));
    const path = join(ROOT, 'docs/adapters.md');
    const page = readFileSync(path, 'utf8');
    const rows = abilities.map(([name, ability]) => `| ${[name, ...cellsOf(ability)].join(' | ')} |`);
    const head = `| library | ${HEADS.join(' | ')} |\n|${'---|'.repeat(HEADS.length + 1)}`;
    const table = `<!-- abilities -->\n\n${[head, ...rows].join('\n')}\n\n<!-- /abilities -->`;
    const recorded = page.replace(/<!-- abilities -->[\s\S]*<!-- \/abilities -->/, () => table);
    if (process.env.RECORD === '1') writeFileSync(path, recorded);
    else assert.is(page, recorded, 'run RECORD=1 node --import tsx tests/adapters/documented-abilities.test.ts');
  } finally {
    for (const end of ends) await end();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();

const OF_SQL: { readonly [name: string]: readonly [object, string] } = {
  Drizzle: [drizzle, 'drizzle.ts'],
  Kysely: [kysely, 'kysely.ts'],
  Knex: [knex, 'knex.ts'],
  TypeORM: [typeorm, 'typeorm.ts'],
  Sequelize: [sequelize, 'sequelize.ts'],
  MikroORM: [mikroOrm, 'mikro-orm.ts'],
};

const SCHEMA = `model Note {
  id     String @id
  amount Int?
  shares Share[]
}
model Share {
  id      Int    @id
  user    String
  deleted Int?
  noteId  String
  note    Note   @relation(fields: [noteId], references: [id])
}
`;

/** The same attributes in the mappings of other stores. */
const OTHERS: { readonly [name: string]: Ability } = {
  Prisma: {
    exports: prisma,
    source: 'prisma/index.ts',
    negation: '`NOT`',
    create: (attributes) =>
      prisma.prismaAdapter('Note', { provider: 'postgresql', attributes: toFields(attributes) } as never, SCHEMA),
  },
  MongoDB: {
    exports: mongodb,
    source: 'mongodb/index.ts',
    negation: '`$nor`',
    create: (attributes) => mongodb.mongodbAdapter('notes', { attributes: nestedOnly(attributes) } as never),
  },
  Elasticsearch: {
    exports: elasticsearch,
    source: 'elasticsearch.ts',
    negation: '`must_not`',
    create: (attributes) =>
      elasticsearch.elasticsearchAdapter('notes', { attributes: nestedOnly(attributes) } as never),
  },
};

function toFields(attributes: object): object {
  return Object.fromEntries(
    Object.entries(attributes as Named).map(([name, { column, where, relation, closure, type }]) => [
      name,
      relation === undefined
        ? { field: column, type }
        : {
            field: name,
            relation,
            ...(where && { where }),
            ...(closure && { closure }),
            attributes: { user: { field: 'user', type: 'text' } },
          },
    ]),
  );
}

/** Stores of documents have related rows within the document. */
function nestedOnly(attributes: object): object {
  return Object.fromEntries(
    Object.entries(attributes as Named).map(([name, { where, relation, closure }]) => {
      if (where !== undefined) throw new TypeError('objects within a document are not hidden');
      return [name, relation === undefined ? name : { field: name, ...(closure && { closure, relation }) }];
    }),
  );
}

interface Named {
  readonly [name: string]: {
    readonly column?: string;
    readonly type?: string;
    readonly relation?: string;
    readonly where?: object;
    readonly closure?: object;
  };
}

const HEADS = [
  'types of the schema',
  '`attributesOf`',
  'related rows',
  '`where` of relations',
  'rows that the model hides',
  '`closure`',
  'schema of the query',
  'not allowed',
  'can columns',
  'masks',
];

function cellsOf({ exports, source, create, negation }: Ability): readonly string[] {
  const text = readFileSync(join(ROOT, 'packages/adapters', source), 'utf8');
  const has = (ending: RegExp): string => names(exports, ending) ?? 'no';
  const { where, ...shares } = MAPPING.attributes.shares;
  const isSql = /renderCondition/.test(text);
  return [
    typesCell(create),
    'attributesOf' in create({}) ? 'yes' : 'no',
    isSql ? 'tables' : throws(() => create({ shares })) ? 'no' : 'relations, or objects in documents',
    throws(() => create({ shares: { ...shares, where } })) ? 'no' : 'yes',
    /\bhidden\b/.test(text) ? 'yes' : 'no',
    throws(() => create({ shares: { ...shares, where, closure: { note_id: 'user' } } })) ? 'no' : 'yes',
    !isSql ? 'no' : /standIn|\*\.|schemas\.js/.test(text) ? 'yes' : '`schema`',
    negation,
    has(/Can$/),
    has(/Mask$/),
  ];
}

/** A number that is mapped as text. */
function typesCell(create: Ability['create']): string {
  if (throws(() => create({ amount: { column: 'amount', type: 'text' } }))) return 'yes';
  const told = { column: 'amount', type: 'text', sqlType: 'integer' };
  return throws(() => create({ amount: told })) ? '`sqlType`' : 'no';
}

function names(exports: object, ending: RegExp): string | undefined {
  const found = Object.keys(exports).filter((name) => ending.test(name));
  return found.length === 0 ? undefined : found.map((name) => `\`${name}\``).join(', ');
}

function throws(create: () => unknown): boolean {
  try {
    create();
    return false;
  } catch (error) {
    if (error instanceof ColumnTypeError || error instanceof TypeError) return true;
    throw error;
  }
}
