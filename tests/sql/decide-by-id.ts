import { sqlFacts } from '../../packages/adapters/facts.js';
import { capabilities } from '../../runtime/engine/index.js';
import { createFactsEngine, type FactsDecision } from '../../runtime/facts/index.js';
import { renderCapabilities, type SqlDialect, type SqlTable } from '../../runtime/residual/sql/index.js';
import { Random } from '../support/oracle/random.js';
import { randomPrincipal } from '../support/sql/random-policies.js';
import { typedRow, type TypedRow, typedTable } from '../support/sql/typed-table.js';
import { type CapableDatabase, capablePolicies } from './capabilities.js';

/** A database with the typed table, which also answers queries of a source. */
export interface QueriedDatabase extends CapableDatabase {
  query(text: string, parameters: readonly unknown[]): Promise<readonly object[]>;
}

/** How often cells were compared, and what differs. */
export interface ByIdTally {
  stores: number;
  cells: number;
  allowed: number;
  /** Decisions that lack a fact, as the row has a value that no attribute can have. */
  unknown: number;
  /** Cells whose condition has no SQL. */
  withoutSql: number;
  statements: number;
  readonly wrong: string[];
}

/** The actions that are decided: with rules of their own, and one that is never allowed. */
export const DECIDED = ['view', 'edit', 'delete', 'own'] as const;

/** The transaction that is passed; the database has one connection. */
const TX = {};

/**
 * Decides about rows by their ids in both ways, by the columns that a source reads and by the columns of capabilities, and
 * compares each with `isAllowed`.
 * @param change makes the rows wrong that the source reads, for a test that this is found.
 */
export async function compareById(
  database: QueriedDatabase,
  extent: { readonly seed: number; readonly stores: number; readonly rows: number },
  change: (row: object) => object = (row) => row,
): Promise<ByIdTally> {
  const { dialect } = database;
  const tally: ByIdTally = { stores: 0, cells: 0, allowed: 0, unknown: 0, withoutSql: 0, statements: 0, wrong: [] };
  const table = tableById(dialect);
  for (let seed = extent.seed; seed < extent.seed + extent.stores; seed += 1) {
    const random = new Random(seed);
    const policies = await capablePolicies(random, dialect, { facts: true });
    const rows = Array.from({ length: extent.rows }, () => typedRow(random, dialect));
    await database.fill(rows);
    const { id, roles, attr } = randomPrincipal(random);
    const principal = { id, roles, attr };
    let statements = 0;
    const source = sqlFacts(
      async (text, parameters, tx) => {
        if (tx !== TX) tally.wrong.push(`seed ${seed}: a statement is not in the transaction`);
        statements += 1;
        return (await database.query(text, parameters)).map(change);
      },
      { ...table, dialect },
      { of: 'thing', name: 'things' },
    );
    const authz = createFactsEngine(policies, { sources: [source], engine: { use: [capabilities()] } });
    const { engine } = authz;
    const place = { kind: 'thing', policyVersion: 'thing' };
    const resources = rows.map((_, position) => ({ ...place, id: String(position) }));
    const decisions = await authz.decideMany({ principal, resources, actions: DECIDED }, { tx: TX });
    tally.statements += statements;
    if (statements > 1) tally.wrong.push(`seed ${seed}: ${statements} statements for one question`);
    const plans = engine.planCapabilities({ principal, resource: place, actions: DECIDED });
    const rendered = renderCapabilities(plans, table, { dialect, onRefused: 'null' });
    const cells = await database.columns(rendered.text, rendered.parameters);
    tally.stores += 1;
    for (const [position, row] of rows.entries())
      for (const [index, action] of DECIDED.entries()) {
        const resource = resources[position] as (typeof resources)[number];
        const isAllowed = (attributes: TypedRow['attr']): boolean =>
          engine.isAllowed({ principal, resource: { ...resource, attr: attributes }, action });
        const attr = withoutJsonNull(row.attr);
        const expected = isAllowed(attr);
        // A row that JSON cannot represent exactly may be denied if check denies either reading.
        const isSafe = expected && (row.orTold === undefined || isAllowed(withoutJsonNull(row.orTold)));
        const decision = decisions.get(position)?.get(action) as FactsDecision;
        tally.cells += 1;
        if (decision.allowed) tally.allowed += 1;
        const isUnknown = !decision.allowed && decision.why === 'unknown';
        if (isUnknown) tally.unknown += 1;
        const isRight = decision.allowed ? isSafe : isUnknown || !expected || row.orTold !== undefined;
        const at = `seed ${seed}, ${action} of ${JSON.stringify(attr)}`;
        if (!isRight)
          tally.wrong.push(`${at}: ${JSON.stringify({ ...decision, facts: undefined })}, check says ${expected}`);
        const refused = rendered.refused.find((one) => one.action === action);
        const cell = cells.get(position)?.[index];
        if (refused?.column === 'null') tally.withoutSql += 1;
        else if (row.orTold === undefined && refused === undefined && (cell === true || cell === 1) !== expected)
          tally.wrong.push(`${at}: the column is ${String(cell)}, check says ${expected}`);
      }
  }
  return tally;
}

/** The table with its position as the id. Drivers read the JSON value null as NULL, so it is no attribute. */
function tableById(dialect: SqlDialect): SqlTable {
  const { columns, ...table } = typedTable(dialect);
  const told = Object.entries(columns).map(([path, column]) => {
    const isDocument = 'type' in column && (column.type === 'json' || column.type === 'list');
    return [path, isDocument ? { ...column, jsonNull: 'missing' as const } : column] as const;
  });
  return { ...table, id: { column: 'position', type: 'integer-as-text' }, columns: Object.fromEntries(told) };
}

/** The columns whose NULL is no attribute. */
const MISSING: ReadonlySet<string> = new Set(['list', 'map']);

function withoutJsonNull(attr: TypedRow['attr']): TypedRow['attr'] {
  return Object.fromEntries(Object.entries(attr).filter(([name, value]) => value !== null || !MISSING.has(name)));
}
