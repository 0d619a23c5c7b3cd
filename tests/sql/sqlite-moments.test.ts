import Database from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import type { SqlColumn } from '../../runtime/residual/sql/index.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';

/*
 * SQLite stores moments as text, and compares it as text: of a day or a time that does not exist, check reads no moment.
 */

const test = suite('text of SQLite that is no moment');

const DAYS = [
  '2020-01-01',
  '2024-02-29',
  '2021-02-29',
  '1900-02-29',
  '2000-02-29',
  '2021-02-30',
  '2021-04-31',
  '2021-00-10',
  '2021-13-01',
  '2021-01-00',
  '2021-01-32',
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
];
const TIMES = ['00:00:00', '23:59:59', '12:30:15', '23:59:60', '24:00:00', '12:60:00', '99:99:99'];
const FRACTIONS = ['000', '001', '123', '499', '500', '999'];

/** The words of mappings, and how text looks that they are for. */
const FORMS: readonly (readonly [Pick<SqlColumn, 'zone'>, (day: string, time: string, fraction: string) => string])[] =
  [
    [{}, (day, time, fraction) => `${day}T${time}.${fraction}Z`],
    [{ zone: 'utc' }, (day, time, fraction) => `${day} ${time}${fraction === '000' ? '' : `.${fraction}`}`],
    [{ zone: '+00:00' }, (day, time, fraction) => `${day} ${time}.${fraction} +00:00`],
  ];

const CONDITIONS = [
  ...['==', '!=', '<', '<=', '>', '>='].flatMap((operator) =>
    ['2021-02-28T23:00:00Z', '2020-01-01T00:00:00Z', '2024-02-29T12:30:15.123Z', '2024-02-29T12:30:15.1234Z'].map(
      (time) => `timestamp(R.attr.at) ${operator} timestamp("${time}")`,
    ),
  ),
  ...['==', '!=', '<', '>='].map((operator) => `timestamp(R.attr.at) ${operator} timestamp(R.attr.other)`),
  '!(timestamp(R.attr.at) > timestamp("2021-02-28T23:00:00Z"))',
  'timestamp(R.attr.at) < now()',
  'timestamp(R.attr.at) + duration("1h") > timestamp("2020-01-01T00:30:00Z")',
  'timestamp(R.attr.at).getFullYear() == 2021',
  'timestamp(R.attr.at).getDayOfMonth() == 28',
  'timestamp(R.attr.at).getHours() == 0',
  'now() - timestamp(R.attr.at) > duration("24h")',
  'timestamp(R.attr.at) - timestamp(R.attr.other) > duration("24h")',
  'timestamp(R.attr.at) == timestamp(R.attr.at)',
];

test('a day or a time that does not exist selects what check allows', async () => {
  const { engine } = await createConditionEngine('thing', CONDITIONS, ['allow', 'deny']);
  for (const [form, write] of FORMS) {
    const texts = DAYS.flatMap((day) =>
      TIMES.flatMap((time) => FRACTIONS.map((fraction) => write(day, time, fraction))),
    );
    const raw = new Database(':memory:');
    raw.exec('CREATE TABLE things (id integer, at text, other text)');
    const insert = raw.prepare('INSERT INTO things VALUES (?, ?, ?)');
    for (const [id, text] of texts.entries()) insert.run([id, text, texts[(id * 7) % texts.length]]);
    const db = new Kysely<{ things: Thing }>({ dialect: new SqliteDialect({ database: raw as never }) });
    const allowed = kyselyAdapter<{ things: Thing }, 'things'>('things', {
      dialect: 'sqlite',
      id: { column: 'id', type: 'integer-as-text' },
      attributes: {
        at: { column: 'at', type: 'timestamp', ...form },
        other: { column: 'other', type: 'timestamp', ...form },
      },
    });
    const rows = await db.selectFrom('things').selectAll().execute();
    let selected = 0;
    for (const [index, text] of CONDITIONS.entries())
      for (const action of [`allow${index}`, `deny${index}`]) {
        const plan = engine.plan({ principal: ANN, resource: { kind: 'thing' }, actions: [action] });
        const found = new Set(
          (await db.selectFrom('things').select('id').where(allowed(plan)).execute()).map(({ id }) => id),
        );
        selected += found.size;
        for (const row of rows) {
          const resource = { kind: 'thing', ...allowed.resourceOf(row) } as never;
          const isAllowed = engine.isAllowed({ principal: ANN, resource, action });
          if (isAllowed !== found.has(row.id))
            assert.unreachable(`${action}, ${text}: ${isAllowed ? 'leaves out' : 'selects'} ${JSON.stringify(row)}`);
        }
      }
    assert.ok(selected > 1000, 'the conditions select too little');
    await db.destroy();
  }
});

test.run();

const ANN = { id: 'ann', roles: ['user'] };

interface Thing {
  id: number;
  at: string;
  other: string;
}
