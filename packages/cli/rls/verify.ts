import type { SqlTable } from '../../../runtime/residual/sql/table.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import { evaluateComputed } from '../../analysis/rls/evaluate-computed.js';
import type { Protection, TableProtection } from '../../analysis/rls/protection.js';
import type { Catalogue, CatalogueTable } from './catalogue.js';
import { type ComparedRows, compareRows, type RowComparison } from './compare-rows.js';
import type { Connection } from './database.js';
import { databaseFindings } from './database-findings.js';
import { type ExpectedTexts, expectedTexts } from './expected-texts.js';
import { type Certainty, refuted, type RlsFinding } from './finding.js';
import { policyFindings } from './policy-findings.js';
import { readCatalogue } from './read-catalogue.js';
import { relatedColumnFindings, relatedFindings, relatedTables } from './related-findings.js';
import { columnFindings, reachFindings, tableFindings } from './table-findings.js';

/** What a verification found, and what it looked at. Plain data: its JSON is that of `authzc rls verify`. */
export interface Verification {
  /** `15.18`. */
  readonly server: string;
  /** Whether the conditions of policies were compared, or only their comments. */
  readonly compared: 'conditions' | 'comments';
  /** Rows times principals, for each statement that was compared with check; absent without `--rows`. */
  readonly cells?: number;
  /** Every object that was looked at, with how certain it is that it does what check decides. */
  readonly objects: readonly { readonly object: string; readonly certainty: Certainty }[];
  readonly findings: readonly RlsFinding[];
}

/** How a database is read. */
export interface VerifyOptions {
  /** Creates nothing, not even in a transaction that is rolled back. */
  readonly readOnly: boolean;
  /** The role that the application connects as, if it is not one of the table file. */
  readonly login?: string | undefined;
  /** Compares rows with check. */
  readonly rows?: RowComparison | undefined;
}

/** Compares a database with what it should enforce. */
export async function verifyDatabase(
  connection: Connection,
  protection: Protection,
  file: TableFile,
  { readOnly, login, rows }: VerifyOptions,
): Promise<Verification> {
  const roles = [...new Set([...protection.roles, ...(login === undefined ? [] : [login])])];
  const names = protection.tables.map(({ name }) => name);
  const catalogue = await readCatalogue(connection, {
    tables: names,
    grantees: protection.roles,
    roles,
    related: relatedTables(protection),
    reader: protection.reader?.role,
  });
  const isComparing = !readOnly && !catalogue.isReplica;
  const expected = isComparing ? await expectedTexts(connection, protection.tables, catalogue.tables) : undefined;
  const found = [
    ...databaseFindings(catalogue, protection, roles, file.session.source === 'settings'),
    ...relatedFindings(catalogue.related, protection),
    ...protection.tables.flatMap((table) =>
      listFindings(table, { catalogue, expected, file, reader: protection.reader }),
    ),
  ];
  const compared = rows === undefined ? undefined : await compareTables(connection, protection, catalogue, rows);
  const findings = compared === undefined ? found : decideByRows(found, compared);
  return {
    server: `${Math.floor(catalogue.server / 10_000)}.${catalogue.server % 10_000}`,
    compared: isComparing ? 'conditions' : 'comments',
    ...(compared !== undefined && { cells: [...compared.values()].reduce((sum, { cells }) => sum + cells, 0) }),
    objects: listObjects(protection, roles, findings),
    findings,
  };
}

/** What was read, and what it is compared with. */
interface Known {
  readonly catalogue: Catalogue;
  readonly expected: ExpectedTexts | undefined;
  readonly file: TableFile;
  readonly reader: Protection['reader'];
}

function listFindings(
  protection: TableProtection,
  { catalogue, expected, file, reader }: Known,
): readonly RlsFinding[] {
  const { name, kind } = protection;
  const table = catalogue.tables.find((each) => each.name === name);
  if (table === undefined || !isTable(table))
    return [
      refuted('table-missing', `table ${name}`, table === undefined ? 'it does not exist' : 'it is not a table', {
        table: name,
      }),
    ];
  const columns = declaredColumns(file, kind);
  return [
    ...tableFindings(table, protection, catalogue),
    ...policyFindings(table, { protection, expected }),
    ...(columns === undefined ? [] : columnFindings(table, columns)),
    ...reachFindings(table, reader),
    ...(columns === undefined ? [] : relatedColumnFindings(catalogue.related, columns)),
  ];
}

/** The columns that policies of a kind read, with that of the scope. */
function declaredColumns({ tables, rowSecurity }: TableFile, kind: string): SqlTable | undefined {
  const table = tables.get(kind);
  const scope = rowSecurity.get(kind)?.scope;
  if (table === undefined || typeof scope !== 'object') return table;
  return { ...table, columns: { ...table.columns, 'the scope': { column: scope.column, type: 'text' } } };
}

async function compareTables(
  connection: Connection,
  { tables, computed: values }: Protection,
  catalogue: Catalogue,
  rows: RowComparison,
): Promise<ReadonlyMap<string, ComparedRows>> {
  const compared = new Map<string, ComparedRows>();
  const computed = evaluateComputed(values);
  for (const protection of tables) {
    const table = catalogue.tables.find(({ name }) => name === protection.name);
    const result =
      table && isTable(table) ? await compareRows(connection, protection, table, rows, computed) : undefined;
    if (result !== undefined) compared.set(protection.name, result);
  }
  return compared;
}

/** Findings that are unknown are refuted by a row, or say that no row does. A row that nothing explains is one. */
function decideByRows(
  findings: readonly RlsFinding[],
  compared: ReadonlyMap<string, ComparedRows>,
): readonly RlsFinding[] {
  const explained = new Set<string>();
  const decided = findings.map((finding): RlsFinding => {
    const { table = '', command, certainty, message } = finding;
    const rows = compared.get(table);
    if (rows === undefined || command === undefined || certainty === 'proved') return finding;
    const witness = rows.witnesses.find((each) => each.command === command);
    if (witness !== undefined) {
      explained.add(`${table} ${command}`);
      return { ...finding, certainty: 'refuted', witness };
    }
    return certainty === 'refuted'
      ? finding
      : { ...finding, message: `${message}; no difference in ${rows.cells} cells` };
  });
  const others = [...compared].flatMap(([table, { witnesses }]) =>
    witnesses
      .filter(({ command }) => !explained.has(`${table} ${command}`))
      .map((witness) =>
        refuted(
          'differs',
          `policy authz_${witness.command} on ${table}`,
          'a row is decided differently than by check',
          {
            table,
            command: witness.command,
            witness,
          },
        ),
      ),
  );
  return [...decided, ...others];
}

function isTable({ kind }: CatalogueTable): boolean {
  return kind === 'r' || kind === 'p';
}

/** The worst certainty of each object, those without a finding included. */
function listObjects(
  { tables, helpers, isSigned }: Protection,
  roles: readonly string[],
  findings: readonly RlsFinding[],
): Verification['objects'] {
  const certainties = new Map<string, Certainty>();
  for (const role of roles) if (role !== 'PUBLIC') certainties.set(`role ${role}`, 'proved');
  for (const { signature } of helpers) certainties.set(`function authz.${signature}`, 'proved');
  if (isSigned) certainties.set('function authz.signed_value()', 'proved');
  for (const { name, policies } of tables) {
    certainties.set(`table ${name}`, 'proved');
    for (const policy of policies) certainties.set(`policy ${policy.name} on ${name}`, 'proved');
  }
  for (const { object, certainty } of findings) {
    const known = certainties.get(object) ?? 'proved';
    certainties.set(object, WORST.find((each) => each === certainty || each === known) ?? 'proved');
  }
  return [...certainties].map(([object, certainty]) => ({ object, certainty }));
}

const WORST: readonly Certainty[] = ['refuted', 'unknown', 'proved'];
