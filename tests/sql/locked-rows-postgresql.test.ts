import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import knexOf from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { type Connection, createConnection } from 'mysql2/promise';
import { type Client, Pool } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drizzleFacts } from '../../packages/adapters/drizzle.js';
import { sqlFacts } from '../../packages/adapters/facts.js';
import { knexFacts } from '../../packages/adapters/knex.js';
import { kyselyFacts } from '../../packages/adapters/kysely.js';
import { createEngine } from '../../runtime/engine/index.js';
import { createFactsEngine, type FactSource, type FactsDecision, type RowLock } from '../../runtime/facts/index.js';
import { renderSql } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/*
 * Checks in the transaction of a write, with other writers at the same time: a row is never changed that the policies
 * forbid to change at that moment. `edit` is allowed while a row is open.
 */

const test = suite('checks in the transaction of a write');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.status == "OPEN"}}}
    - {actions: [read], effect: EFFECT_ALLOW, roles: [user]}
`;
const { policies } = await loaded(compileTexts({ 'note.yaml': POLICY }, { facts: true }));
const COLUMNS = {
  owner: { column: 'owner', type: 'text' },
  status: { column: 'status', type: 'text' },
} as const;
const ID = { column: 'id', type: 'text' } as const;
const TABLE = { name: 'notes', dialect: 'postgresql', id: ID, columns: COLUMNS } as const;
const MAPPING = { dialect: 'postgresql', id: ID, attributes: COLUMNS } as const;
const CREATE =
  'CREATE TABLE notes (id varchar(20) PRIMARY KEY, owner text, status text NOT NULL, edits integer NOT NULL)';
const PRINCIPAL = { id: 'ann', roles: ['user'] };

const cluster = await startCluster();
if (typeof cluster === 'string') {
  skip(import.meta.url, cluster);
} else {
  const pool = new Pool({ ...cluster.connection, max: 6 });
  await pool.query(CREATE);
  const source = sqlFacts(
    (query, parameters, tx) => ((tx ?? pool) as typeof pool).query(query, [...parameters]),
    TABLE,
    {
      of: 'note',
    },
  );
  const authz = createFactsEngine(policies, { sources: [source] });
  const edit = (id: string, tx: unknown, lock?: RowLock): Promise<FactsDecision> =>
    authz.decide({ principal: PRINCIPAL, resource: { kind: 'note', id }, action: 'edit' }, { tx, lock });
  const plan = createEngine(policies).plan({ principal: PRINCIPAL, resource: { kind: 'note' }, actions: ['edit'] });

  const inTransaction = async <T>(work: (client: Client) => Promise<T>, begin = 'BEGIN'): Promise<T> => {
    const client = (await pool.connect()) as unknown as Client & { release(): void };
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };
  const write = async (client: Client, id: string, where = '', parameters: readonly unknown[] = []): Promise<Edit> => {
    const { rows } = await client.query(`UPDATE notes SET edits = edits + 1 WHERE id = $1${where} RETURNING status`, [
      id,
      ...parameters,
    ]);
    return rows.length === 0
      ? 'denied'
      : (rows[0] as { readonly status: string }).status === 'OPEN'
        ? 'right'
        : 'wrong';
  };

  type Edit = 'denied' | 'right' | 'wrong';
  /** What happens between the check and the write. */
  type Between = () => Promise<unknown>;

  /** Checks without a lock, which is the mistake. */
  const unlocked = (id: string, between: Between): Promise<Edit> =>
    inTransaction(async (client) => {
      const { allowed } = await edit(id, client);
      await between();
      return allowed ? write(client, id) : 'denied';
    });
  const locked =
    (lock: RowLock) =>
    (id: string, between: Between): Promise<Edit> =>
      inTransaction(async (client) => {
        const { allowed } = await edit(id, client, lock);
        await between();
        return allowed ? write(client, id) : 'denied';
      });
  /** The condition of the plan is part of the write. */
  const conditional = (id: string, between: Between): Promise<Edit> =>
    inTransaction(async (client) => {
      await between();
      const condition = renderSql(plan.filter, TABLE, { dialect: 'postgresql', offset: 1 });
      if (condition.kind === 'refused') throw new Error('the plan has no SQL');
      return write(client, id, ` AND (${condition.text})`, condition.parameters);
    });
  /** The write fails if the row changed since the snapshot of the check; then all is done again. */
  const repeated = async (id: string, between: Between): Promise<Edit> => {
    for (;;) {
      try {
        return await inTransaction(async (client) => {
          const { allowed } = await edit(id, client);
          await between();
          return allowed ? write(client, id) : 'denied';
        }, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
      } catch (error) {
        if ((error as { code?: string }).code !== '40001') throw error;
      }
    }
  };
  const RECIPES = {
    'lock: update': locked('update'),
    'condition in the write': conditional,
    'repeatable read': repeated,
  };

  const reset = (...ids: readonly string[]): Promise<unknown> =>
    pool.query(
      `INSERT INTO notes SELECT unnest($1::text[]), 'ann', 'OPEN', 0
       ON CONFLICT (id) DO UPDATE SET status = 'OPEN', edits = 0`,
      [ids],
    );
  const close = (id: string): Promise<unknown> => pool.query("UPDATE notes SET status = 'CLOSED' WHERE id = $1", [id]);
  /** Waits until another connection waits for a lock. */
  const untilBlocked = async (): Promise<void> => {
    for (;;) {
      const { rows } = await pool.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      if (rows.length > 0) return;
    }
  };

  test('without a lock, a row can change between check and write', async () => {
    await reset('n1');
    assert.is(await unlocked('n1', () => close('n1')), 'wrong');
  });

  test('a locked row does not change before the write', async () => {
    await reset('n1');
    let closing: Promise<unknown> | undefined;
    const edited = await locked('update')('n1', async () => {
      closing = close('n1');
      await untilBlocked();
    });
    await closing;
    assert.is(edited, 'right');
    assert.is((await pool.query("SELECT status FROM notes WHERE id = 'n1'")).rows[0].status, 'CLOSED');
    assert.is(await locked('update')('n1', async () => {}), 'denied');
  });

  test('a write with the condition, or in one snapshot, does not change a row that was closed', async () => {
    await reset('n1');
    assert.is(await conditional('n1', () => close('n1')), 'denied');
    await reset('n1');
    let isFirst = true;
    const closeOnce = async (): Promise<void> => {
      if (isFirst) await close('n1');
      isFirst = false;
    };
    assert.is(await repeated('n1', closeOnce), 'denied');
  });

  for (const [name, recipe] of Object.entries(RECIPES))
    test(`${name}: editors and others at the same time make no wrong write`, async () => {
      const random = new Random(SEED);
      const ids = ['r1', 'r2', 'r3'];
      await reset(...ids);
      const counts = { denied: 0, right: 0, wrong: 0 };
      const editor = async (): Promise<void> => {
        for (let round = 0; round < rounds(350, 40); round += 1)
          counts[await recipe(random.pick(ids), async () => pool.query('SELECT 1'))] += 1;
      };
      const other = async (): Promise<void> => {
        for (let round = 0; round < rounds(350, 40); round += 1)
          await pool.query('UPDATE notes SET status = $2 WHERE id = $1', [
            random.pick(ids),
            random.pick(['OPEN', 'CLOSED']),
          ]);
      };
      await Promise.all([editor(), editor(), editor(), other(), other()]);
      assert.is(counts.wrong, 0, JSON.stringify(counts));
      assert.ok(counts.right > 0 && counts.denied > 0, JSON.stringify(counts));
    });

  test('several rows are locked in one order, so that transactions do not wait for each other', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `m${index}`);
    await reset(...ids);
    const lockAll = (order: readonly string[]): Promise<unknown> =>
      inTransaction((client) =>
        authz.decideMany(
          { principal: PRINCIPAL, resources: order.map((id) => ({ kind: 'note', id })), actions: ['edit'] },
          { tx: client, lock: 'update' },
        ),
      );
    for (let round = 0; round < rounds(100, 10); round += 1)
      await Promise.all([lockAll(ids), lockAll([...ids].reverse()), lockAll(ids), lockAll([...ids].reverse())]);
  });

  test('the row is read whatever is decided: without it, nothing is allowed', async () => {
    await reset('n1');
    await inTransaction(async (client) => {
      const read = (id: string) =>
        authz.decide(
          { principal: PRINCIPAL, resource: { kind: 'note', id }, action: 'read' },
          { tx: client, lock: 'share' },
        );
      assert.is((await read('n1')).allowed, true);
      assert.equal(await read('gone'), {
        allowed: false,
        why: 'unknown',
        unknown: [{ fact: 'resource', source: 'note', reason: 'not found' }],
        facts: [],
      });
      const session = authz.for(PRINCIPAL, { tx: client, lock: 'share' });
      assert.is(await session.can('edit', { kind: 'note', id: 'n1' }), true);
    });
  });

  test('what the row says counts, and not what the caller sends', async () => {
    await reset('n1');
    await close('n1');
    const resource = { kind: 'note', id: 'n1', attr: { status: 'OPEN' } };
    await inTransaction(async (client) => {
      const request = { principal: PRINCIPAL, resource, action: 'edit' };
      assert.is((await authz.decide(request, { tx: client, lock: 'share' })).allowed, false);
    });
  });

  test('a lock needs a transaction, a known word and a source that locks', async () => {
    const request = { principal: PRINCIPAL, resource: { kind: 'note', id: 'n1' }, action: 'edit' };
    const refused = (work: Promise<unknown>, pattern: RegExp): Promise<void> =>
      work.then(
        () => assert.unreachable('was decided'),
        (error: Error) => assert.match(error.message, pattern),
      );
    await refused(authz.decide(request, { lock: 'update' }), /in a transaction/);
    await refused(authz.decide(request, { tx: pool, lock: 'exclusive' as RowLock }), /`share` or `update`/);
    const { locks: _, ...plain } = source;
    const other = createFactsEngine(policies, { sources: [plain] });
    await refused(other.decide(request, { tx: pool, lock: 'update' }), /no source of `note` can lock rows/);
  });

  test('a query that fails, or waits for longer than the deadline, denies', async () => {
    await reset('n1');
    const failing = createFactsEngine(policies, {
      sources: [{ ...source, load: () => Promise.reject(new Error('down')) } as FactSource],
    });
    const request = { principal: PRINCIPAL, resource: { kind: 'note', id: 'n1' }, action: 'read' };
    const reasonOf = (decision: FactsDecision): string =>
      !decision.allowed && decision.why === 'unknown' ? (decision.unknown[0]?.reason ?? '') : 'decided';
    assert.is(reasonOf(await failing.decide(request, { tx: pool, lock: 'update' })), 'failed');
    await inTransaction(async (client) => {
      await edit('n1', client, 'update');
      const waiting = (await pool.connect()) as unknown as Client & { release(): void };
      await waiting.query('BEGIN');
      const decision = await authz.decide(request, { tx: waiting, lock: 'update', deadline: 30 });
      assert.is(reasonOf(decision), 'deadline');
      await client.query('COMMIT');
      await waiting.query('ROLLBACK');
      waiting.release();
      await client.query('BEGIN');
    });
  });

  /** Whether another connection can lock a row in a way. */
  const canLock = async (id: string, way: string): Promise<boolean> => {
    try {
      await pool.query(`SELECT 1 FROM notes WHERE id = $1 FOR ${way} NOWAIT`, [id]);
      return true;
    } catch (error) {
      assert.is((error as { code?: string }).code, '55P03');
      return false;
    }
  };

  const expectLocks = async (
    facts: FactSource,
    transaction: (work: (tx: unknown) => Promise<void>) => Promise<unknown>,
  ): Promise<void> => {
    await reset('n1', 'n2');
    const engine = createFactsEngine(policies, { sources: [facts] });
    for (const lock of ['share', 'update'] as const)
      await transaction(async (tx) => {
        const request = { principal: PRINCIPAL, resource: { kind: 'note', id: 'n1' }, action: 'edit' };
        assert.is((await engine.decide(request, { tx, lock })).allowed, true);
        assert.is(await canLock('n1', 'UPDATE'), false, lock);
        assert.is(await canLock('n1', 'SHARE'), lock === 'share', lock);
        assert.is(await canLock('n2', 'UPDATE'), true);
      });
    assert.is(await canLock('n1', 'UPDATE'), true);
  };

  test('Kysely, Drizzle and Knex lock rows', async () => {
    const kysely = new Kysely<{ notes: { id: string; owner: string | null; status: string; edits: number } }>({
      dialect: new PostgresDialect({ pool }),
    });
    await expectLocks(kyselyFacts(kysely, 'notes', MAPPING, { of: 'note' }), (work) =>
      kysely.transaction().execute(work),
    );

    const notes = pgTable('notes', { id: text().primaryKey(), owner: text(), status: text() });
    const db = drizzle(pool);
    assert.equal(await db.select().from(notes).where(eq(notes.id, 'no')), []);
    await expectLocks(drizzleFacts(db, notes, MAPPING, { of: 'note' }), (work) => db.transaction(work));

    const knex = knexOf({ client: 'pg', connection: cluster.connection });
    await expectLocks(
      knexFacts<{ id: string; owner: string; status: string }>(knex, 'notes', MAPPING, { of: 'note' }),
      (work) => knex.transaction(work),
    );
    await knex.destroy();
  });

  test.after(async () => {
    await pool.end();
    await cluster.stop();
  });
}

test('MariaDB locks rows', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const connect = (): Promise<Connection> =>
    createConnection({ socketPath: server.socketPath, user: 'root', database: 'authz' });
  const [one, other] = [await connect(), await connect()];
  await one.query(CREATE);
  await one.query("INSERT INTO notes VALUES ('n1', 'ann', 'OPEN', 0)");
  const source = sqlFacts(
    async (query, parameters, tx) => (await (tx as Connection).query(query, [...parameters]))[0] as object[],
    { ...TABLE, dialect: 'mysql' },
    { of: 'note' },
  );
  const authz = createFactsEngine(policies, { sources: [source] });
  const canLock = async (way: string): Promise<boolean> => {
    try {
      await other.query(`SELECT 1 FROM notes WHERE id = 'n1' ${way} NOWAIT`);
      return true;
    } catch (error) {
      assert.is((error as { code?: string }).code, 'ER_LOCK_WAIT_TIMEOUT');
      return false;
    }
  };
  for (const lock of ['share', 'update'] as const) {
    await one.beginTransaction();
    const request = { principal: PRINCIPAL, resource: { kind: 'note', id: 'n1' }, action: 'edit' };
    assert.is((await authz.decide(request, { tx: one, lock })).allowed, true);
    assert.is(await canLock('FOR UPDATE'), false);
    assert.is(await canLock('LOCK IN SHARE MODE'), lock === 'share');
    await one.commit();
  }
  await one.end();
  await other.end();
  await server.stop();
});

test.run();
