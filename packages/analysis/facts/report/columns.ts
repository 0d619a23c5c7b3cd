import { visible } from '../../../../compiler/diagnostics/visible.js';
import type { SqlColumn, SqlRelation, SqlTable } from '../../../../runtime/residual/sql/table.js';
import type { ReadSet } from '../../../../runtime/policy/index.js';
import { quotedName } from '../../sql-names.js';
import type { FactsReport } from '../facts-report.js';
import { unite } from '../read-set.js';

/** The columns that each action reads, as statements: of each action the union over its roles. */
export function factsColumns({ tables }: FactsReport, sqlTables: ReadonlyMap<string, SqlTable>): string {
  const blocks = tables.flatMap(({ kind, scope, version, rows }) => {
    const table = sqlTables.get(kind);
    if (table === undefined) return [];
    const place = `${version === 'default' ? '' : ` version ${version}`}${scope === '' ? '' : ` scope ${scope}`}`;
    return rows.map(({ action, sets }) => statement(`${kind}${place} ${action.label}`, unite(sets), table));
  });
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

function statement(title: string, set: ReadSet, table: SqlTable): string {
  const reads = set.paths.flatMap(({ path: [root, side, ...names] }) =>
    root === undefined || (root === 'resource' && (side === undefined || side === 'attr')) ? [names] : [],
  );
  const columns = new Set(table.id === undefined ? [] : [quotedName(table.id.column)]);
  const notes: string[] = [];
  for (const names of reads) {
    const found = Object.entries(table.columns).filter(([path]) => overlaps(path.split('.'), names));
    if (found.length === 0) notes.push(`no column: ${names.join('.')}`);
    for (const [path, column] of found) {
      if ('relation' in column) notes.push(relationNote(path, column));
      else for (const name of listColumns(column)) columns.add(name);
    }
  }
  const head = [title, ...new Set(notes)].map((line) => `-- ${visible(line)}`);
  return `${head.join('\n')}\nSELECT ${[...columns].join(', ') || '1'} FROM ${quotedName(table.name)}`;
}

/** Whether one path is a part of the other. */
function overlaps(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).every((name, index) => name === other[index] || other[index] === '*');
}

function listColumns({ column }: SqlColumn): readonly string[] {
  return [quotedName(column)];
}

function relationNote(path: string, { relation, table, on }: SqlRelation): string {
  const keys = Object.entries(on).map(([theirs, own]) => `${theirs} = ${own}`);
  return `${path}: ${relation === 'many' ? 'rows' : 'the row'} of ${table} where ${keys.join(' and ')}`;
}
