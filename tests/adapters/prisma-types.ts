/** Every word of a mapping for every type of field in Prisma, as `column-types.test.ts` has them for query builders. */
import * as assert from 'uvu/assert';
import type { Filter, JsonValue } from '../../runtime/residual/filters.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';
import { COLUMN_CONDITIONS } from './conformance-conditions.js';

type Provider = 'postgresql' | 'sqlite';

/** By field: its type in the schema, that of its column, and the literals of its values, one for each row. */
const FIELDS: { readonly [P in Provider]: { readonly [name: string]: readonly [string, string, ...string[]] } } = {
  postgresql: {
    words: ['String?', 'text', `'anna'`, `'Anna'`, `'10'`, `'2024-02-29T12:00:00.000Z'`],
    short: ['String? @db.VarChar(30)', 'varchar(30)', `'anna'`, `'Anna'`, `'10'`, `'anna '`],
    padded: ['String? @db.Char(8)', 'char(8)', `'anna'`, `'Anna'`, `'10'`, `'x'`],
    loose: ['String? @db.Citext', 'citext', `'anna'`, `'Anna'`, `'10'`, `'ANNA'`],
    key: [
      'String? @db.Uuid',
      'uuid',
      ...Array.from({ length: 4 }, (_, index) => `'0b7d4e0a-7c55-4c5e-9a3f-1f0f5d9f3a1${index}'`),
    ],
    whole: ['Int?', 'integer', '10', '1', '0', '-3'],
    small: ['Int? @db.SmallInt', 'smallint', '10', '1', '0', '-3'],
    large: ['BigInt?', 'bigint', '10', '9007199254740993', '5000000000', '-5000000000'],
    single: ['Float? @db.Real', 'real', '10', '0.1', '-1.5', '0'],
    double: ['Float?', 'double precision', '10', '0.1', '-1.5', '1e300'],
    price: ['Decimal?', 'numeric', '10', '0.1', '0.1000000000000000055', '12.50'],
    flag: ['Boolean?', 'boolean', 'true', 'false', 'true', 'false'],
    at: ['DateTime?', 'timestamp(3)', ...TIMES('')],
    zoned: ['DateTime? @db.Timestamptz', 'timestamptz', ...TIMES('+00')],
    day: ['DateTime? @db.Date', 'date', ...TIMES('').map((time) => `${time}::date`)],
    data: ['Json?', 'jsonb', `'["anna"]'`, `'{"a":1}'`, `'"anna"'`, `'10'`],
    mood: ['Mood?', '"Mood"', `'anna'`, `'x'`, `'anna'`, `'x'`],
    tags: ['String[]', 'text[]', `'{anna}'`, `'{}'`, `'{x,10}'`, `'{anna,anna}'`],
    moods: ['Mood[]', '"Mood"[]', `'{anna}'`, `'{}'`, `'{x}'`, `'{anna,x}'`],
    sizes: ['Int[]', 'integer[]', `'{10}'`, `'{}'`, `'{1}'`, `'{0}'`],
  },
  sqlite: {
    words: ['String?', 'text', `'anna'`, `'Anna'`, `'10'`, `'2024-02-29T12:00:00.000Z'`],
    whole: ['Int?', 'integer', '10', '1', '0', '-3'],
    large: ['BigInt?', 'bigint', '10', '9007199254740991', '5000000000', '-5000000000'],
    double: ['Float?', 'real', '10', '0.1', '-1.5', '1e300'],
    price: ['Decimal?', 'decimal', '10', '0.1', '12.5', '-1.5'],
    flag: ['Boolean?', 'boolean', '1', '0', '1', '0'],
    data: ['Json?', 'jsonb', `'["anna"]'`, `'{"a":1}'`, `'"anna"'`, `'10'`],
  },
};

function TIMES(zone: string): readonly string[] {
  return ['2024-02-29 12:00:00', '2024-02-29 12:00:00.123456', '2024-02-29 12:00:00.123', '1969-07-20 20:17:40.5'].map(
    (time) => `'${time}${zone}'`,
  );
}

const WORDS = ['text', 'uuid', 'integer', 'integer-as-text', 'number', 'boolean', 'timestamp', 'list'];

/** The models with a field of every type, for the schema. */
export function typesSchema(provider: Provider): string {
  const fields = Object.entries(FIELDS[provider]).map(([name, [type]]) => `  ${name} ${type}`);
  const mood = provider === 'postgresql' ? 'enum Mood {\n  anna\n  x\n}\n' : '';
  return `${mood}model Thing {\n  id Int @id\n${fields.join('\n')}\n}\n`;
}

/** What `prisma-program.mjs` asks about types. */
export interface TypeQuestions {
  readonly statements: readonly string[];
  readonly columns: readonly { readonly field: string; readonly type: string; readonly null?: 'null' }[];
  readonly filters: readonly Filter[];
}

/** For each column: why it is refused, or the attributes of each record and the records of each filter. */
export type TypeAnswers = readonly (
  | { readonly thrown: string }
  | {
      readonly attributes: readonly ({ readonly [name: string]: JsonValue } | null)[];
      readonly selected: readonly (readonly number[] | { readonly refused: string } | { readonly failed: string })[];
    }
)[];

const PRINCIPAL = { id: 'anna', roles: ['user'] };

export async function typeQuestions(provider: Provider) {
  const fields = Object.entries(FIELDS[provider]);
  const { engine, actions } = await createConditionEngine('thing', COLUMN_CONDITIONS, (index) =>
    index % 2 === 0 ? ['allow', 'deny'] : ['deny'],
  );
  const rows = Array.from({ length: 5 }, (_, row) => [
    row,
    ...fields.map(([, cells]) => (cells[row + 1] && row > 0 ? cells[row + 1] : 'NULL')),
  ]);
  const questions: TypeQuestions = {
    statements: [
      ...(provider === 'postgresql' ? ['CREATE EXTENSION citext', `CREATE TYPE "Mood" AS ENUM ('anna', 'x')`] : []),
      `CREATE TABLE "Thing" (id integer PRIMARY KEY, ${fields.map(([name, [, type]]) => `"${name}" ${type}`).join(', ')})`,
      ...rows.map((cells) => `INSERT INTO "Thing" VALUES (${cells.join(', ')})`),
    ],
    columns: fields.flatMap(([field]) =>
      WORDS.flatMap((type) => [
        { field, type },
        ...(type === 'text' || type === 'integer-as-text' ? [{ field, type, null: 'null' as const }] : []),
      ]),
    ),
    filters: actions.map(
      ({ action }) => engine.plan({ principal: PRINCIPAL, resource: { kind: 'thing' }, actions: [action] }).filter,
    ),
  };
  const assertTypes = (answers: TypeAnswers): void => {
    const wrong: string[] = [];
    const counts = { thrown: 0, refused: 0, compared: 0, selected: 0 };
    for (const [index, column] of questions.columns.entries()) {
      const answer = answers[index] as TypeAnswers[number];
      if ('thrown' in answer) {
        counts.thrown += 1;
        continue;
      }
      for (const [position, { action, condition }] of actions.entries()) {
        const what = `${JSON.stringify(column)}: ${action} ${condition}`;
        const ids = answer.selected[position] as readonly number[] | { refused: string } | { failed: string };
        if ('refused' in ids) counts.refused += 1;
        else if ('failed' in ids) wrong.push(`${what}: ${ids.failed}`);
        else {
          counts.compared += 1;
          for (const [id, attr] of answer.attributes.entries()) {
            const isAllowed =
              attr !== null &&
              engine.isAllowed({ principal: PRINCIPAL, resource: { kind: 'thing', id: 'x', attr }, action });
            if (isAllowed !== ids.includes(id))
              wrong.push(`${what}: ${isAllowed ? 'omits' : 'selects'} ${JSON.stringify(attr)}`);
            else if (isAllowed) counts.selected += 1;
          }
        }
      }
    }
    console.log(`  ${provider}: types: ${JSON.stringify(counts)}`);
    assert.equal(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
    assert.ok(counts.selected > 100);
  };
  return { questions, assertTypes };
}
