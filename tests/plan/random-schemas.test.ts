import initSqlJs, { type Database, type SqlScalar } from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type PlanResult } from '#runtime/engine';
import { ALLOW } from '#runtime/policy';
import { type Filter, FLAT, filterText, REFERENCE, selects, type Writing } from '#runtime/residual';
import type { JsonValue } from '../../compiler/ast/policy.js';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { renderSql, type SqlColumn, type SqlParameter, type SqlTable, type SqlType } from '../../runtime/residual/sql/index.js';
import { Random } from '../oracle/random.js';
import { linked } from './linked.js';
import { NAMES, randomRow, randomRules, randomSchema, type SchemaObject } from './random-schemas.js';

/** How many random schemas, each with a policy; SEED says where to begin. SCHEMAS=4000 ROWS=256 is the whole proof: a million rows. */
const SCHEMAS = Number(process.env.SCHEMAS ?? 80);
const SEED = Number(process.env.SEED ?? 1);
const ROWS = Number(process.env.ROWS ?? 24);
/** How many are compiled together. */
const BATCH = 40;

const WRITINGS: { readonly [name: string]: Writing } = { flat: FLAT, exact: { shapes: 'flat', nots: 'exact' }, reference: REFERENCE };
const PRINCIPAL = { type: 'object', required: ['level'], properties: { level: { type: 'integer' } } };

const test = suite('plans under random schemas');

test('under reject a filter selects exactly the rows that check allows: in process, over the wire, as SQL and in the shapes of the reference', async () => {
  const { Database } = await initSqlJs();
  const tally = { plans: 0, denied: 0, notWhole: 0, rows: 0, allowed: 0, invalid: 0, sqlRows: 0, refused: 0, overGrants: 0, underGrants: 0, underGrantsOfUnplanned: 0, underGrantsOfNot: 0 };
  const wrong: string[] = [];
  for (let first = SEED; first < SEED + SCHEMAS; first += BATCH) {
    const cases = Array.from({ length: Math.min(BATCH, SEED + SCHEMAS - first) }, (_, index) => caseOf(first + index));
    const { policies } = await linked(compiled(cases));
    const engines = Object.entries(WRITINGS).map(([writing, plan]) => [writing, createEngine(policies, { schemaEnforcement: 'reject', plan })] as const);
    const [, check] = engines[0] as readonly [string, Engine];
    for (const { kind, schema, random } of cases) {
      const known = random.chance(0.3) ? randomRow(random, schema) : {};
      const attr = Object.fromEntries(Object.entries(known).slice(0, 1));
      const level = random.chance(0.95) ? 1 : 'high';
      const principal = { id: 'alice', roles: ['user'], attr: random.chance(0.98) ? { level } : {} };
      const actions = random.pick([['view'], ['edit'], ['list'], ['view', 'edit'], ['view', 'list']]);
      const request = { principal, resource: { kind, ...(Object.keys(attr).length > 0 && { attr }) }, actions };
      const plans = engines.map(([writing, engine]) => [writing, engine.plan(request)] as const);
      // The plain `not` of the reference loses rows where a DENY reads what is not there (planner.md D-09).
      const withoutSchema = createEngine(policies, { plan: REFERENCE }).plan(request).filter;
      const plan = (plans[0] as readonly [string, PlanResult])[1];
      const table = tableOf(random, schema, Object.keys(attr));
      const rows = Array.from({ length: ROWS }, () => ({ ...randomRow(random, schema), ...attr }));
      const sql = renderSql(plan.filter, table, { dialect: 'sqlite' });
      const database = new Database();
      const selectedBySql = sql.kind === 'sql' ? rowsOfSql(database, { table, rows, listed: attr, sql }) : new Map<number, boolean>();
      database.close();
      tally.plans += 1;
      if (plan.filter.kind === 'KIND_ALWAYS_DENIED') tally.denied += 1;
      if (plan.unplanned.length > 0) tally.notWhole += 1;
      if (sql.kind === 'refused') tally.refused += 1;
      for (const [position, row] of rows.entries()) {
        const [result] = check.check({ principal, resources: [{ resource: { kind, id: 'r', attr: row }, actions }] });
        const allowed = result?.actions.every(({ effect }) => effect === ALLOW) === true;
        tally.rows += 1;
        if (allowed) tally.allowed += 1;
        if ((result?.validationErrors.length ?? 0) > 0) tally.invalid += 1;
        const outcomes: [string, boolean][] = plans.map(([writing, { filter }]) => [writing, selects(filter, { id: 'r', attr: row })]);
        outcomes.push(['wire', selects(JSON.parse(JSON.stringify(plan.filter)) as Filter, { id: 'r', attr: row })]);
        if (selectedBySql.has(position)) {
          tally.sqlRows += 1;
          outcomes.push(['sql', selectedBySql.get(position) as boolean]);
        }
        for (const [way, isSelected] of outcomes) {
          if (isSelected === allowed) continue;
          if (isSelected) tally.overGrants += 1;
          else if (plan.unplanned.length > 0) tally.underGrantsOfUnplanned += 1;
          else if (way === 'reference' && !selects(withoutSchema, { id: 'r', attr: row })) tally.underGrantsOfNot += 1;
          else tally.underGrants += 1;
          if (tally.overGrants + tally.underGrants > wrong.length) {
            wrong.push(`seed ${kind.slice(1)}: ${way} ${isSelected ? 'selects' : 'does not select'} ${JSON.stringify(row)} for ${JSON.stringify(request)}\n  ${filterText(plan.filter)}\n  ${sql.kind === 'sql' && way === 'sql' ? sql.text : ''}\n  ${JSON.stringify(schema)}`);
          }
        }
      }
    }
  }
  console.log(`  seeds ${SEED} to ${SEED + SCHEMAS - 1}: ${JSON.stringify(tally)}`);
  assert.is(wrong.length, 0, wrong.slice(0, 3).join('\n'));
  assert.ok(tally.allowed > tally.rows / 20 && tally.invalid > tally.rows / 10 && tally.sqlRows > tally.rows / 5, 'the schemas say too little');
});

test.run();

interface Case {
  readonly kind: string;
  readonly schema: SchemaObject;
  readonly rules: readonly JsonValue[];
  readonly random: Random;
}

function caseOf(seed: number): Case {
  const random = new Random(seed * 7919);
  return { kind: `k${seed}`, schema: randomSchema(random), rules: randomRules(random), random };
}

function compiled(cases: readonly Case[]): ReturnType<typeof compile> {
  const sources = cases.map(({ kind, rules }, index) => {
    const schemas = { principalSchema: { ref: 'authz:///principal.json' }, resourceSchema: { ref: `authz:///${kind}.json`, ignoreWhen: { actions: ['list'] } } };
    return new Source(`p${index}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: kind, version: 'default', schemas, rules } }));
  });
  const texts = new Map([['principal.json', JSON.stringify(PRINCIPAL)], ...cases.map(({ kind, schema }) => [`${kind}.json`, JSON.stringify(schema)] as const)]);
  return compile(sources, new Diagnostics(), { schemaTexts: texts });
}

/** A column for each attribute that a name of SQL can stand for: of the type that the schema wants, or of any. */
function tableOf(random: Random, { properties }: SchemaObject, listed: readonly string[]): SqlTable {
  const names = [...NAMES, 'x', 'n', 'constructor'].filter((name) => !listed.includes(name));
  const columns = names.map((name): [string, SqlColumn] => {
    const wanted = Object.hasOwn(properties as SchemaObject, name) ? (properties as SchemaObject)[name] : undefined;
    const type = COLUMN_TYPES[(wanted as SchemaObject | undefined)?.type as string] ?? 'json';
    return [name, { column: `c_${name}`, type: random.chance(0.5) ? type : 'json', null: (NAMES as readonly string[]).includes(name) && random.chance(0.15) ? random.pick(['null', 'never']) : 'missing' }];
  });
  return { name: 't', columns: Object.fromEntries(columns) };
}

const COLUMN_TYPES: { readonly [type: string]: SqlType | undefined } = { string: 'text', number: 'number', integer: 'integer', boolean: 'boolean', array: 'list' };

interface Asked {
  readonly table: SqlTable;
  readonly rows: readonly SchemaObject[];
  /** What the request lists: no column holds it. */
  readonly listed: SchemaObject;
  readonly sql: { readonly text: string; readonly parameters: readonly SqlParameter[] };
}

/** By position: the rows that the table can hold, and whether they are selected. */
function rowsOfSql(database: Database, { table, rows, listed, sql }: Asked): ReadonlyMap<number, boolean> {
  const columns = Object.entries(table.columns);
  database.run(`CREATE TABLE t (position INTEGER, ${columns.map(([, { column, type }]) => `${column} ${AFFINITIES[type]}`).join(', ')})`);
  const insert = database.prepare(`INSERT INTO t VALUES (?${', ?'.repeat(columns.length)})`);
  const stored: number[] = [];
  for (const [position, row] of rows.entries()) {
    if (Object.keys(row).some((name) => !Object.hasOwn(listed, name) && !Object.hasOwn(table.columns, name))) continue;
    const cells = columns.map(([name, column]) => cellOf(Object.hasOwn(row, name) ? row[name] : undefined, column));
    if (cells.includes(undefined)) continue;
    insert.run([position, ...(cells as SqlScalar[])]);
    stored.push(position);
  }
  insert.free();
  const select = database.prepare(`SELECT position FROM t WHERE ${sql.text}`);
  select.bind(sql.parameters.map((parameter) => (typeof parameter === 'boolean' ? Number(parameter) : parameter)));
  const positions = new Set<unknown>();
  while (select.step()) positions.add(select.get()[0]);
  select.free();
  return new Map(stored.map((position) => [position, positions.has(position)]));
}

const AFFINITIES: { readonly [type in SqlType]: string } = { json: 'TEXT', list: 'TEXT', text: 'TEXT', number: 'REAL', integer: 'INTEGER', boolean: 'INTEGER', timestamp: 'TEXT' };

/** What a column holds for a value; undefined where it cannot hold it. */
function cellOf(value: JsonValue | undefined, { type, null: absence }: SqlColumn): string | number | null | undefined {
  if (value === undefined) return absence === 'missing' ? null : undefined;
  if (value === null && type !== 'json') return absence === 'null' ? null : undefined;
  switch (type) {
    case 'json':
      return value === null && absence === 'null' ? null : JSON.stringify(value);
    case 'list':
      return Array.isArray(value) ? JSON.stringify(value) : undefined;
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined;
    default:
      return typeof value === 'number' ? value : undefined;
  }
}
