import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

// A zone with minutes, in which a Date of a column without a zone is another moment.
process.env.TZ = 'America/St_Johns';

/* Columns of PostgreSQL without a zone, in a library that says nothing about their types. */

const test = suite('timestamps without a zone');

/** The type `timestamp`, and how node-postgres reads others. */
const TIMESTAMP = 1114;
const { types: parsers } = pg as unknown as {
  readonly types: { getTypeParser(type: number, format?: string): (text: string) => unknown };
};

const TIMES = ['2024-02-29 12:00:00.123456', '2024-02-29 12:00:00', '2019-12-31 23:59:59.999', '1900-01-01 00:00:00'];
const CONDITIONS = [
  'timestamp(R.attr.at) < timestamp("2024-02-29T12:00:00.123Z")',
  'timestamp(R.attr.at) == timestamp("2024-02-29T12:00:00Z")',
  'timestamp(R.attr.at) > timestamp("2020-01-01T00:00:00Z")',
  '!(timestamp(R.attr.at) > timestamp("2020-01-01T00:00:00Z"))',
];

test('node-postgres reads them as strings for `attributesOf`, and the error for a Date says how', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await cluster.client.query('CREATE TABLE things (id text, at timestamp)');
  for (const [index, time] of TIMES.entries())
    await cluster.client.query('INSERT INTO things VALUES ($1, $2)', [`t${index}`, time]);
  const connect = (options: object): Kysely<{ things: { id: string; at: string } }> =>
    new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...cluster.connection, ...options }) }) });
  const asText = {
    types: {
      getTypeParser: (type: number, format?: string) =>
        type === TIMESTAMP ? (text: string) => text : parsers.getTypeParser(type, format),
    },
  };
  const allowed = kyselyAdapter<{ things: { id: string; at: string } }, 'things'>('things', {
    dialect: 'postgresql',
    id: { column: 'id', type: 'text' },
    attributes: { at: { column: 'at', type: 'timestamp', zone: 'utc' } },
  });
  const dates = connect({});
  const [row] = await dates.selectFrom('things').selectAll().execute();
  assert.throws(
    () => allowed.attributesOf(row as never),
    'is a Date of a column without a zone, which drivers read in the zone of the process: read it as a string, with `pg.types.setTypeParser(1114, (text) => text)` for node-postgres',
  );
  await dates.destroy();
  const texts = connect(asText);
  const rows = await texts.selectFrom('things').selectAll().execute();
  assert.is(allowed.attributesOf(rows[0] as never)['at' as never], '2024-02-29T12:00:00.123Z');
  const { engine, actions } = await createConditionEngine('thing', CONDITIONS);
  for (const { action, condition } of actions) {
    const request = { principal: { id: 'u1', roles: ['user'] }, resource: { kind: 'thing' } };
    const found = await texts
      .selectFrom('things')
      .select('id')
      .where(allowed(engine.plan({ ...request, actions: [action] })))
      .execute();
    const expected = rows
      .map((one) => allowed.resourceOf(one))
      .filter(({ id, attr }) =>
        engine.isAllowed({ ...request, resource: { kind: 'thing', id, attr: attr as never }, action }),
      );
    assert.equal(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), condition);
    assert.ok(expected.length > 0 && expected.length < rows.length, condition);
  }
  await texts.destroy();
  await cluster.stop();
});

test.run();
