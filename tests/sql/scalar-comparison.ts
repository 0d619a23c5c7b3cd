import * as assert from 'uvu/assert';
import {
  renderSql,
  type SqlColumn,
  type SqlCondition,
  type SqlDialect,
  type SqlTable,
} from '../../runtime/residual/sql/index.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';
import { Random } from '../support/oracle/random.js';

/** A database in which tables can be made. */
export interface ScalarDatabase {
  readonly dialect: SqlDialect;
  run(statement: string): Promise<unknown>;
  /** The positions of the rows of `scalars` that a condition selects. */
  select(condition: SqlCondition & { readonly kind: 'sql' }): Promise<ReadonlySet<number>>;
}

type Value = number | string | boolean | null;

const COLUMNS: { readonly [name: string]: Pick<SqlColumn, 'type' | 'null'> } = {
  real: { type: 'number' },
  realOrNull: { type: 'number', null: 'null' },
  sure: { type: 'number', null: 'never' },
  whole: { type: 'integer' },
  wholeOrNull: { type: 'integer', null: 'null' },
  flagOrNull: { type: 'boolean', null: 'null' },
  word: { type: 'text' },
  wordOrNull: { type: 'text', null: 'null' },
};

const VALUES: { readonly [type: string]: readonly Value[] } = {
  integer: [0, 1, -1, 5, 2 ** 31],
  boolean: [true, false],
  text: ['', 'a', 'A', '5', 'NaN', 'null'],
};
const REALS: { readonly [dialect in SqlDialect]: readonly number[] } = {
  postgresql: [0, -0, 1, -1, 5, 0.1, 1e308, 5e-324, Number.NaN, Number.NaN, Infinity, -Infinity],
  sqlite: [0, -0, 1, -1, 5, 0.1, 1e308, 5e-324, Infinity, -Infinity],
  mysql: [0, -0, 1, -1, 5, 0.1, 1e308],
};

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='];
const CONSTANTS = ['null', '5.0', '-0.0', '"a"', 'true'];

/** Every comparison of two columns, and of a column with a constant, over random rows with unusual values. */
export async function compareScalars(database: ScalarDatabase, size = 60): Promise<void> {
  const { dialect } = database;
  const random = new Random(1);
  const rows = Array.from({ length: size }, () =>
    Object.entries(COLUMNS).map(([, { type, null: absence }]): Value => {
      if (absence !== 'never' && random.chance(0.3)) return null;
      return random.pick(type === 'number' ? REALS[dialect] : (VALUES[type] as readonly Value[]));
    }),
  );
  await database.run(`CREATE TABLE scalars (position integer PRIMARY KEY, ${definitions(dialect)})`);
  for (const [position, row] of rows.entries())
    await database.run(
      `INSERT INTO scalars VALUES (${[position, ...row.map((cell) => literal(cell, dialect))].join(', ')})`,
    );
  const table: SqlTable = {
    name: 'scalars',
    columns: Object.fromEntries(
      Object.entries(COLUMNS).map(([name, column]) => [name, { ...column, column: `c_${name.toLowerCase()}` }]),
    ),
  };
  const conditions = conditionsOf();
  const { engine, actions } = await createConditionEngine('thing', conditions, ['allow', 'none', 'deny']);
  // An application sends NaN as it is, or as null, which JSON makes of it.
  const readings = rows.map((row) =>
    (row.some(Number.isNaN) ? [Number.NaN, null] : [Number.NaN]).map((nan) => attributesOf(row, nan)),
  );
  const principal = { id: 'u1', roles: ['user'] };
  const wrong: string[] = [];
  const counts = { statements: 0, refused: 0, selected: 0, of: 0 };
  for (const { action, condition: expr } of actions) {
    const { filter } = engine.plan({ principal, resource: { kind: 'thing' }, actions: [action] });
    const rendered = renderSql(filter, table, { dialect });
    if (rendered.kind === 'refused') {
      counts.refused += 1;
      continue;
    }
    counts.statements += 1;
    const selected = await database.select(rendered);
    for (const [position, row] of rows.entries()) {
      const allowed = (readings[position] ?? []).every((attr) =>
        engine.isAllowed({ principal, resource: { kind: 'thing', id: 'r', attr }, action }),
      );
      const isSelected = selected.has(position);
      counts.of += 1;
      if (isSelected) counts.selected += 1;
      if (isSelected !== allowed)
        wrong.push(
          `${isSelected ? 'selects' : 'omits'} ${JSON.stringify(row.map(String))}: ${action} ${expr}\n  ${rendered.text}`,
        );
    }
  }
  console.log(`  ${dialect}: ${conditions.length} comparisons, ${JSON.stringify(counts)}`);
  assert.equal(wrong.slice(0, 5), [], `${wrong.length} disagreements`);
  assert.ok(
    counts.selected > counts.of / 10 && counts.refused < counts.statements / 5,
    'the conditions say too little',
  );
}

function conditionsOf(): readonly string[] {
  const names = Object.keys(COLUMNS);
  const attribute = (name: string): string => `R.attr.${name}`;
  const ofNumber = names.filter((name) => COLUMNS[name]?.type === 'number').map(attribute);
  return [
    ...names.flatMap((a) =>
      names.flatMap((b) => OPERATORS.map((operator) => `${attribute(a)} ${operator} ${attribute(b)}`)),
    ),
    ...names.flatMap((a) =>
      CONSTANTS.flatMap((constant) =>
        (constant === 'null' || constant === 'true' ? ['==', '!='] : OPERATORS).map(
          (operator) => `${attribute(a)} ${operator} ${constant}`,
        ),
      ),
    ),
    ...names.flatMap((a) => ['double', 'null_type'].map((type) => `type(${attribute(a)}) == ${type}`)),
    ...names.flatMap((a) => [
      `${attribute(a)} in [5.0, 1.0, null]`,
      `!(${attribute(a)} in [5.0, 1.0])`,
      `has(${attribute(a)})`,
    ]),
    ...ofNumber.flatMap((a) => [
      `${a} + 1.0 != 2.0`,
      `dyn(${a} + 1.0) != null`,
      `dyn(${a} * 2.0) != "a"`,
      `${a} in [R.attr.whole, null]`,
    ]),
  ];
}

function definitions(dialect: SqlDialect): string {
  const types: { readonly [type: string]: string } = {
    number: dialect === 'sqlite' ? 'REAL' : 'double precision',
    integer: 'bigint',
    boolean: dialect === 'sqlite' ? 'integer' : 'boolean',
    text: dialect === 'mysql' ? 'varchar(50)' : 'text',
  };
  return Object.entries(COLUMNS)
    .map(([name, { type }]) => `c_${name.toLowerCase()} ${types[type]}`)
    .join(', ');
}

function literal(cell: Value, dialect: SqlDialect): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return `'${cell}'`;
  if (typeof cell === 'boolean') return dialect === 'postgresql' ? String(cell) : String(Number(cell));
  if (dialect === 'postgresql') return `'${Object.is(cell, -0) ? '-0' : cell}'`;
  if (!Number.isFinite(cell)) return `${cell < 0 ? '-' : ''}9e999`;
  return cell.toExponential();
}

function attributesOf(row: readonly Value[], nan: number | null): { readonly [name: string]: Value } {
  return Object.fromEntries(
    Object.entries(COLUMNS).flatMap(([name, { null: absence }], index) => {
      const cell = row[index] as Value;
      if (cell === null) return absence === 'null' ? [[name, null]] : [];
      return [[name, Number.isNaN(cell) ? nan : cell]];
    }),
  );
}
