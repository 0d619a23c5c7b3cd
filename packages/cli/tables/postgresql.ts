import { quotedName } from '../../analysis/sql-names.js';
import type { CatalogueColumn } from '../rls/catalogue.js';
import { type Connection, selectJson } from '../rls/database.js';
import { COLUMNS, UNIQUES } from '../rls/queries.js';
import { isBinaryCollation } from '../rls/table-findings.js';
import type { StoredColumn, StoredTable } from './stored-table.js';

/** Reads tables of PostgreSQL. Names without a schema are found by the search path of the connection. */
export async function readPostgresqlTables(
  connection: Connection,
  names: readonly string[],
): Promise<ReadonlyMap<string, StoredTable>> {
  const asked = { tables: names.map((name) => ({ name, quoted: quotedName(name) })), roles: [], grantees: [] };
  const columns = await selectJson<CatalogueColumn & { readonly table: string }>(connection, COLUMNS, asked);
  const uniques = await selectJson<UniqueIndex>(connection, UNIQUES, asked);
  return new Map(
    [...new Set(columns.map(({ table }) => table))].map((table) => [
      table,
      {
        columns: new Map(columns.filter((one) => one.table === table).map((one) => [one.name, storedColumn(one)])),
        uniques: uniques.filter((one) => one.table === table && one.isWhole).map((one) => one.columns),
      },
    ]),
  );
}

interface UniqueIndex {
  readonly table: string;
  readonly columns: readonly string[];
  readonly isWhole: boolean;
}

function storedColumn({ type, typeKind, nullable, collation, deterministic }: CatalogueColumn): StoredColumn {
  const kind = deterministic === false ? 'other' : isBinaryCollation(collation) ? 'binary' : 'deterministic';
  return {
    type: typeKind === 'e' ? 'enum' : type,
    isNullable: nullable,
    ...(collation !== null && { collation: { name: collation, kind } }),
  };
}
