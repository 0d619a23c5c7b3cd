import initSqlJs, { type Database, type SqlScalar } from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type PlanResult } from '../../runtime/engine/index.js';
import {
  type Filter,
  FLAT,
  filterText,
  REFERENCE,
  selects,
  selectsWith,
  type Writing,
} from '../../runtime/residual/index.js';
import { renderSql, type SqlParameter } from '../../runtime/residual/sql/index.js';
import { selectsRow } from '../support/oracle/filter-rows.js';
import type { WireOperand } from '../support/oracle/operands.js';
import { cellsOf, createTable, type StoredTable, tableOf } from '../support/sql/schema-table.js';
import { functionsOf } from '../support/plan/filter-functions.js';
import { randomRow, type SchemaObject } from '../support/plan/random-schemas.js';
import { batches, checkRow, requestOf } from '../support/plan/schema-cases.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random schemas, each with a policy, and of rows for each; SEED is the first seed. */
const SCHEMAS = rounds(80);
const ROWS = 24;

const WRITINGS: { readonly [name: string]: Writing } = {
  flat: FLAT,
  exact: { shapes: 'flat', nots: 'exact' },
  reference: REFERENCE,
};

const test = suite('plans under random schemas');

test('with reject a filter selects exactly the rows that check allows: in process, after transport, as SQL and in reference shapes', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(createTable('sqlite'));
  const tally = {
    plans: 0,
    denied: 0,
    notWhole: 0,
    rows: 0,
    allowed: 0,
    invalid: 0,
    wireRows: 0,
    sqlRows: 0,
    refused: 0,
    overGrants: 0,
    underGrants: 0,
    underGrantsOfUnplanned: 0,
    underGrantsOfNot: 0,
  };
  const wrong: string[] = [];
  for await (const { cases, policies, program } of batches(SEED, SCHEMAS)) {
    const engines = Object.entries(WRITINGS).map(
      ([writing, plan]) => [writing, createEngine(policies, { schemaEnforcement: 'reject', plan })] as const,
    );
    const [, check] = engines[0] as readonly [string, Engine];
    const plain = createEngine(policies, { plan: REFERENCE });
    for (const one of cases) {
      const { kind, schema, random } = one;
      const functions = functionsOf(program, kind);
      const { listed, ...request } = requestOf(one);
      const plans = engines.map(([writing, engine]) => [writing, engine.plan(request)] as const);
      // The reference's plain `not` loses rows where a DENY reads a missing attribute
      // (docs/spec/plans.md#d-09-two-kinds-of-not).
      const withoutSchema = plain.plan(request).filter;
      const plan = (plans[0] as readonly [string, PlanResult])[1];
      const wire = plans.map(
        ([writing, { filter }]) =>
          [writing === 'flat' ? 'wire' : `${writing}, wire`, JSON.parse(JSON.stringify(filter)) as Filter] as const,
      );
      const table = tableOf(random, 'sqlite', schema, listed);
      const rows = Array.from({ length: ROWS }, () => ({ ...randomRow(random, schema), ...listed }));
      const sql = renderSql(plan.filter, table, { dialect: 'sqlite' });
      const selectedBySql =
        sql.kind === 'sql' ? rowsOfSql(database, { table, rows, listed, sql }) : new Map<number, boolean>();
      tally.plans += 1;
      if (plan.filter.kind === 'KIND_ALWAYS_DENIED') tally.denied += 1;
      if (plan.unplanned.length > 0) tally.notWhole += 1;
      if (sql.kind === 'refused') tally.refused += 1;
      for (const [position, row] of rows.entries()) {
        const { isAllowed, isInvalid } = checkRow(check, request, row);
        tally.rows += 1;
        if (isAllowed) tally.allowed += 1;
        if (isInvalid) tally.invalid += 1;
        const outcomes: [string, boolean][] = plans.map(([writing, { filter }]) => [
          writing,
          selects(filter, { id: 'r', attr: row }),
        ]);
        for (const [position, [, { filter }]] of plans.entries())
          assert.is(
            selectsWith(functions, filter, { id: 'r', attr: row }),
            outcomes[position]?.[1],
            filterText(filter),
          );
        for (const [way, filter] of wire) {
          if (way === 'wire') tally.wireRows += 1;
          outcomes.push([way, selectsByOracle(filter, row)]);
        }
        if (selectedBySql.has(position)) {
          tally.sqlRows += 1;
          outcomes.push(['sql', selectedBySql.get(position) as boolean]);
        }
        for (const [way, isSelected] of outcomes) {
          if (isSelected === isAllowed) continue;
          if (isSelected) tally.overGrants += 1;
          else if (plan.unplanned.length > 0) tally.underGrantsOfUnplanned += 1;
          else if (way.startsWith('reference') && !selects(withoutSchema, { id: 'r', attr: row }))
            tally.underGrantsOfNot += 1;
          else tally.underGrants += 1;
          if (tally.overGrants + tally.underGrants > wrong.length) {
            const text = sql.kind === 'sql' && way === 'sql' ? sql.text : '';
            wrong.push(
              [
                `seed ${kind.slice(1)}: ${way} ${isSelected ? 'selects' : 'does not select'} ${JSON.stringify(row)}`,
                `for ${JSON.stringify(request)}`,
                filterText(plan.filter),
                text,
                JSON.stringify(schema),
              ].join('\n  '),
            );
          }
        }
      }
    }
  }
  database.close();
  console.log(`  seeds ${SEED} to ${SEED + SCHEMAS - 1}: ${JSON.stringify(tally)}`);
  assert.is(wrong.length, 0, wrong.slice(0, 3).join('\n'));
  assert.ok(
    tally.allowed > tally.rows / 20 &&
      tally.invalid > tally.rows / 10 &&
      tally.sqlRows > tally.rows / 5 &&
      tally.wireRows === tally.rows,
    'the schemas say too little',
  );
});

test.run();

/** The selection of the model's evaluator, which shares no code with the product. */
function selectsByOracle(filter: Filter, attr: SchemaObject): boolean {
  return filter.kind === 'KIND_CONDITIONAL'
    ? selectsRow(filter.condition as WireOperand, { id: 'r', attr })
    : filter.kind === 'KIND_ALWAYS_ALLOWED';
}

interface Asked {
  readonly table: StoredTable;
  readonly rows: readonly SchemaObject[];
  /** The attributes that the request lists: no column holds them. */
  readonly listed: SchemaObject;
  readonly sql: { readonly text: string; readonly parameters: readonly SqlParameter[] };
}

/** By position: the rows that the table can hold, and whether they are selected. */
function rowsOfSql(database: Database, { table, rows, listed, sql }: Asked): ReadonlyMap<number, boolean> {
  const stored = rows.flatMap((row, position) => {
    const cells = cellsOf(row, table, 'sqlite', listed);
    return cells === undefined ? [] : [{ position, cells }];
  });
  const columns = Object.keys(stored[0]?.cells ?? {});
  database.run('BEGIN; DELETE FROM stored_rows');
  const insert = database.prepare(
    `INSERT INTO stored_rows (${['position', ...columns].join(', ')}) VALUES (?${', ?'.repeat(columns.length)})`,
  );
  for (const { position, cells } of stored)
    insert.run([position, ...columns.map((column) => cells[column] as SqlScalar)]);
  insert.free();
  database.run('COMMIT');
  const select = database.prepare(`SELECT position FROM stored_rows WHERE ${sql.text}`);
  select.bind(sql.parameters.map((parameter) => (typeof parameter === 'boolean' ? Number(parameter) : parameter)));
  const positions = new Set<unknown>();
  while (select.step()) positions.add(select.get()[0]);
  select.free();
  return new Map(stored.map(({ position }) => [position, positions.has(position)]));
}
