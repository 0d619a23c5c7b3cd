import { quotedName, quotedPart } from '../../analysis/sql-names.js';
import type { Protection } from '../../analysis/rls/protection.js';
import type { SqlColumns } from '../../../runtime/residual/sql/table.js';
import { isRelation } from '../../../runtime/residual/sql/table.js';
import type { RelatedTable } from './catalogue.js';
import { refuted, type RlsFinding, unknown } from './finding.js';
import { oneColumn } from './table-findings.js';

/** The tables that conditions read beside their own. */
export function relatedTables({ reader, tables }: Protection): readonly string[] {
  const all = [...(reader?.tables ?? []).map(({ name }) => name), ...tables.flatMap(({ plain = [] }) => plain)];
  return [...new Set(all)].sort();
}

/** Whether what reads related tables sees all of their rows: a hidden row denies nothing. */
export function relatedFindings(found: readonly RelatedTable[], protection: Protection): readonly RlsFinding[] {
  const { reader, tables } = protection;
  const plain = new Set(tables.flatMap(({ plain: names = [] }) => names));
  const read = new Set((reader?.tables ?? []).map(({ name }) => name));
  return relatedTables(protection).flatMap((name): readonly RlsFinding[] => {
    const table = found.find((each) => each.name === name);
    const object = `table ${name}`;
    if (table === undefined) return [refuted('table-missing', object, 'it does not exist', { table: name })];
    return [
      ...(plain.has(name) ? plainFindings(table, object) : []),
      ...(read.has(name) ? readFindings(table, object, reader?.role ?? '') : []),
    ];
  });
}

/** A table that policies read as whoever runs the statement. */
function plainFindings({ name, kind, isSecured }: RelatedTable, object: string): readonly RlsFinding[] {
  if (isSecured)
    return [
      refuted('related-hidden', object, 'it is read with `trust: plain`, and has row level security', {
        table: name,
        fix: `ALTER TABLE ${quotedName(name)} DISABLE ROW LEVEL SECURITY;\n-- or leave out \`trust\`, and run the file of \`authzc rls\` again`,
      }),
    ];
  return isStored(kind)
    ? []
    : [unknown('related-hidden', object, 'it is a view, which may hide rows', { table: name })];
}

/** A table that the functions of the reader read. */
function readFindings(
  { name, kind, isSecured, isShown, isRestricted }: RelatedTable,
  object: string,
  reader: string,
): readonly RlsFinding[] {
  if (!isStored(kind)) return [unknown('related-hidden', object, 'it is a view, which may hide rows', { table: name })];
  if (!isSecured) return [];
  if (isRestricted)
    return [
      refuted('related-hidden', object, `a restrictive policy hides rows from ${reader}`, {
        table: name,
        fix: `-- name the other roles in the policy: ALTER POLICY … ON ${quotedName(name)} TO …;`,
      }),
    ];
  return isShown
    ? []
    : [
        refuted('related-hidden', object, `no policy shows all rows to ${reader}`, {
          table: name,
          fix: `CREATE POLICY authz_reader ON ${quotedName(name)} FOR SELECT TO ${quotedPart(reader)} USING (true);`,
        }),
      ];
}

/** Whether a kind of \`pg_class\` has rows of its own: a table, a partitioned or foreign one, or a materialized view. */
function isStored(kind: string): boolean {
  return ['r', 'p', 'f', 'm'].includes(kind);
}

/** Compares the columns of related tables with those that the table file declares. */
export function relatedColumnFindings(
  found: readonly RelatedTable[],
  { columns }: { readonly columns: SqlColumns },
): readonly RlsFinding[] {
  return Object.values(columns).flatMap((stored): readonly RlsFinding[] => {
    if (!isRelation(stored)) return [];
    const { table: name, value, columns: own = {} } = stored;
    const table = found.find((each) => each.name === name);
    if (table === undefined) return [];
    const known = new Map(table.columns.map((column) => [column.name, column]));
    const declared = [...(value === undefined ? [] : [value]), ...Object.values(own)];
    return [
      ...declared.flatMap((column) => (isRelation(column) ? [] : oneColumn(name, known, column))),
      ...relatedColumnFindings(found, { columns: own }),
    ];
  });
}
