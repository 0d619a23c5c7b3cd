import { quotedName } from '../../analysis/sql-names.js';
import { LOCAL_SEARCH_PATH } from '../../analysis/rls/search-path.js';
import type {
  Catalogue,
  CatalogueColumn,
  CatalogueFunction,
  CataloguePolicy,
  CatalogueRole,
  CatalogueTable,
  DefaultSetting,
  DefinerFunction,
  RelatedTable,
  Relative,
  TablePrivileges,
  View,
} from './catalogue.js';
import { type Connection, rolledBack, selectJson } from './database.js';
import * as queries from './queries.js';

/** What is read: tables by their names, and roles. */
export interface Wanted {
  /** The tables as the file of tables has them: `public.invoices`. */
  readonly tables: readonly string[];
  /** The roles that statements run as; `PUBLIC` stands for every role. */
  readonly grantees: readonly string[];
  /** The same, and further roles of which it is read what they are. */
  readonly roles: readonly string[];
  /** The tables that conditions read beside their own. */
  readonly related: readonly string[];
  /** The role that reads related tables. */
  readonly reader: string | undefined;
}

/**
 * Reads the catalogue as it is at one moment. Names in its texts are relative to no schema but `pg_catalog`, so that
 * texts that say the same are the same.
 */
export function readCatalogue(connection: Connection, wanted: Wanted): Promise<Catalogue> {
  return rolledBack(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async () => {
    // To compile these queries would take longer than to run them.
    await connection.query(`${LOCAL_SEARCH_PATH}; SET LOCAL jit = off`);
    const asked = {
      tables: wanted.tables.map((name) => ({ name, quoted: quotedName(name) })),
      roles: wanted.roles.filter((role) => role !== 'PUBLIC'),
      grantees: wanted.grantees,
      reader: wanted.reader ?? null,
    };
    const ask = <Row>(query: string): Promise<Row[]> => selectJson<Row>(connection, query, asked);
    const ofRelated = { ...asked, tables: wanted.related.map((name) => ({ name, quoted: quotedName(name) })) };
    const relatedColumns = groupByTable(
      await selectJson<CatalogueColumn & { readonly table: string }>(connection, queries.COLUMNS, ofRelated),
    );
    const related = await selectJson<Omit<RelatedTable, 'columns'>>(connection, queries.RELATED, ofRelated);
    const [server] = await selectJson<{ version: number; replica: boolean }>(connection, queries.SERVER);
    const tables = await ask<Omit<CatalogueTable, 'policies'>>(queries.TABLES);
    const byTable = async <Row>(query: string): Promise<ReadonlyMap<string, readonly Row[]>> =>
      groupByTable(await ask<Row & { readonly table: string }>(query));
    const policies = await byTable<CataloguePolicy>(queries.POLICIES);
    const columns = await byTable<CatalogueColumn>(queries.COLUMNS);
    const privileges = await byTable<TablePrivileges>(queries.PRIVILEGES);
    const relatives = await byTable<Relative>(queries.RELATIVES);
    const views = await byTable<View>(queries.VIEWS);
    const functions = await byTable<DefinerFunction>(queries.DEFINER_FUNCTIONS);
    const uniques = await byTable<CatalogueTable['uniques'][number]>(queries.UNIQUES);
    const cascades = await byTable<CatalogueTable['cascades'][number]>(queries.CASCADES);
    const publications = await byTable<{ readonly name: string }>(queries.PUBLICATIONS);
    const [schema] = await ask<NonNullable<Catalogue['schema']>>(queries.SCHEMA);
    const [keys] = await ask<NonNullable<Catalogue['keys']>>(queries.KEYS);
    return {
      server: server?.version ?? 0,
      isReplica: server?.replica ?? false,
      tables: tables.map((table) => ({
        ...table,
        policies: policies.get(table.name) ?? [],
        columns: columns.get(table.name) ?? [],
        privileges: privileges.get(table.name) ?? [],
        relatives: relatives.get(table.name) ?? [],
        views: views.get(table.name) ?? [],
        functions: functions.get(table.name) ?? [],
        uniques: uniques.get(table.name) ?? [],
        cascades: cascades.get(table.name) ?? [],
        publications: (publications.get(table.name) ?? []).map(({ name }) => name),
      })),
      related: related.map((table) => ({ ...table, columns: relatedColumns.get(table.name) ?? [] })),
      roles: await ask<CatalogueRole>(queries.ROLES),
      roleNames: (await selectJson<{ readonly name: string }>(connection, queries.ROLE_NAMES)).map(({ name }) => name),
      reader: (await ask<NonNullable<Catalogue['reader']>>(queries.READER))[0],
      functions: await selectJson<CatalogueFunction>(connection, queries.FUNCTIONS),
      schema,
      keys,
      defaults: await selectJson<DefaultSetting>(connection, queries.DEFAULTS),
      version: await readVersion(connection),
    };
  });
}

async function readVersion(connection: Connection): Promise<string | undefined> {
  const [found] = await selectJson<object>(connection, queries.HAS_VERSION);
  if (found === undefined) return undefined;
  const [row] = await selectJson<{ readonly version: string }>(connection, queries.VERSION);
  return row?.version;
}

function groupByTable<Row extends { readonly table: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.table, [...(groups.get(row.table) ?? []), row]);
  return groups;
}
