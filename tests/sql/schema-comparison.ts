import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { filterText, FLAT, selects, type Writing } from '../../runtime/residual/index.js';
import { renderSql, type SqlCondition, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { randomRow, type SchemaObject } from '../support/plan/random-schemas.js';
import { batches, type Case, checkRow, requestOf } from '../support/plan/schema-cases.js';
import { type Cell, cellsOf, tableOf } from '../support/sql/schema-table.js';
import { SEED, rounds } from '../support/effort.js';

/** A database with the table of `createTable`. */
export interface SchemaDatabase {
  readonly dialect: SqlDialect;
  /** Replaces all rows: the cells of each, by column. */
  fill(columns: readonly string[], rows: readonly (readonly Cell[])[]): Promise<void>;
  /** The positions of the rows that a condition selects. */
  select(condition: SqlCondition & { readonly kind: 'sql' }): Promise<ReadonlySet<number>>;
}

/** The number of random schemas, each with a policy, and of rows for each; SEED is the first seed. */
export const EXTENT = {
  seed: SEED,
  schemas: rounds(80, 40),
  rows: 32,
};

const WRITINGS: { readonly [name: string]: Writing } = { guarded: FLAT, exact: { shapes: 'flat', nots: 'exact' } };

/**
 * Compares random schemas over random rows: with `reject` a database selects the rows that check allows, for every
 * filter that is rendered.
 */
export async function compareSchemas(database: SchemaDatabase, { seed, schemas, rows }: typeof EXTENT): Promise<void> {
  const tally = {
    plans: 0,
    rendered: 0,
    refused: 0,
    rowChecks: 0,
    allowed: 0,
    invalid: 0,
    overGrants: 0,
    underGrants: 0,
    underGrantsOfUnplanned: 0,
  };
  const wrong: string[] = [];
  for await (const { cases, policies } of batches(seed, schemas)) {
    const engines = Object.entries(WRITINGS).map(
      ([writing, plan]) => [writing, createEngine(policies, { schemaEnforcement: 'reject', plan })] as const,
    );
    const [[, engine]] = engines as [(typeof engines)[number]];
    for (const one of cases) {
      const { listed, ...request } = requestOf(one);
      const table = tableOf(one.random, database.dialect, one.schema, listed);
      const plans = engines.map(([writing, planner]) => ({ writing, ...planner.plan(request) }));
      const statements = plans.map((plan) => ({
        plan,
        sql: renderSql(plan.filter, table, { dialect: database.dialect }),
      }));
      tally.plans += plans.length;
      tally.refused += statements.filter(({ sql }) => sql.kind === 'refused').length;
      if (statements.every(({ sql }) => sql.kind === 'refused')) continue;
      const stored = rowsOf(one, {
        count: rows,
        listed,
        cellsOf: (row) => cellsOf(row, table, database.dialect, listed),
      });
      const [first] = stored;
      if (first === undefined) continue;
      const outcomes = stored.map(({ row }) => checkRow(engine, request, row));
      const columns = Object.keys(first.cells);
      await database.fill(
        columns,
        stored.map(({ cells }) => columns.map((column) => cells[column] as Cell)),
      );
      for (const { plan, sql } of statements) {
        if (sql.kind === 'refused') continue;
        tally.rendered += 1;
        const about = (detail: string): string =>
          [
            `seed ${one.kind.slice(1)}, ${plan.writing}: ${detail} for ${JSON.stringify(request)}`,
            filterText(plan.filter),
            sql.text,
            JSON.stringify(sql.parameters),
            JSON.stringify(one.schema),
          ].join('\n  ');
        const selected = await database.select(sql).catch((error: unknown) => error as Error);
        if (selected instanceof Error) {
          wrong.push(about(`the statement fails: ${selected.message}`));
          continue;
        }
        for (const [position, { row }] of stored.entries()) {
          const { isAllowed, isInvalid } = outcomes[position] as ReturnType<typeof checkRow>;
          const isSelected = selected.has(position);
          tally.rowChecks += 1;
          if (isAllowed) tally.allowed += 1;
          if (isInvalid) tally.invalid += 1;
          if (isSelected !== selects(plan.filter, { id: 'r', attr: row }))
            wrong.push(about(`SQL and the evaluator differ on ${JSON.stringify(row)}`));
          if (isSelected === isAllowed) continue;
          if (!isSelected && plan.unplanned.length > 0) {
            tally.underGrantsOfUnplanned += 1;
            continue;
          }
          tally[isSelected ? 'overGrants' : 'underGrants'] += 1;
          wrong.push(about(`${isSelected ? 'selects' : 'does not select'} ${JSON.stringify(row)}`));
        }
      }
    }
  }
  console.log(`  ${database.dialect}, seeds ${seed} to ${seed + schemas - 1}, ${rows} rows: ${JSON.stringify(tally)}`);
  assert.is(wrong.length, 0, `${wrong.length} disagreements\n${wrong.slice(0, 3).join('\n')}`);
  assert.ok(
    tally.rendered > tally.plans / (database.dialect === 'mysql' ? 8 : 4) &&
      tally.rowChecks > 3 * tally.plans &&
      tally.allowed > tally.rowChecks / 20 &&
      tally.invalid > tally.rowChecks / 10,
    'the schemas say too little',
  );
}

interface Stored {
  readonly row: SchemaObject;
  readonly cells: { readonly [column: string]: Cell };
}

/** Rows that the table can hold: up to the requested number, if they are found soon. */
export function rowsOf(
  { random, schema }: Case,
  {
    count,
    listed,
    cellsOf: stored,
  }: {
    readonly count: number;
    readonly listed: SchemaObject;
    readonly cellsOf: (row: SchemaObject) => Stored['cells'] | undefined;
  },
): readonly Stored[] {
  const rows: Stored[] = [];
  for (let attempt = 0; attempt < 20 * count && rows.length < count; attempt += 1) {
    const row = { ...randomRow(random, schema), ...listed };
    const cells = stored(row);
    if (cells !== undefined) rows.push({ row, cells });
  }
  return rows;
}
