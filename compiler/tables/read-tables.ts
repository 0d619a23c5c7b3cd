import type { SqlColumn, SqlColumns, SqlRelation, SqlTable } from '../../runtime/residual/sql/table.js';
import { type Diagnostic, Diagnostics } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { invariant } from '../diagnostics/invariant.js';
import { asText, boolOf, entriesOf, nonEmptyText, objectOf, requiredText, textOf } from '../parse/build/fields.js';
import { decodeObject } from '../parse/decode.js';
import type { ObjectValue } from '../parse/schema/value.js';
import { validateStructure } from '../parse/structure.js';
import { readDocument } from '../parse/yaml/read.js';
import { COLLATIONS, NULLS, RELATIONS, REQUIRED_WITH, TABLES, TYPES } from './schema.js';

/** The tables of a file, by kind, or what is wrong with it. */
export type ReadTables =
  | { readonly tables: ReadonlyMap<string, SqlTable> }
  /** At least one. */
  | { readonly problems: readonly Diagnostic[] };

/** Reads a file of tables (docs/plans.md#tables-in-a-file): YAML or JSON. An empty file has none. */
export function readTables(source: Source): ReadTables {
  const report = new Diagnostics();
  const read = readDocument(source, report);
  const document = read && decodeObject(read.root, TABLES, read.problems);
  read?.problems.reportTo(report);
  if (document !== undefined && !report.hasErrors && validateStructure(document, source, report))
    for (const { name, value } of entriesOf(document, 'tables'))
      requireFields(asObject(value), `tables[${JSON.stringify(name.value)}]`, report);
  const problems = report.sorted();
  if (problems.length > 0) return { problems };
  if (document === undefined) return { tables: new Map() };
  const entries = entriesOf(document, 'tables');
  return { tables: new Map(entries.map(({ name, value }) => [name.value, tableOf(asObject(value))])) };
}

function tableOf(table: ObjectValue): SqlTable {
  const alias = nonEmptyText(table, 'alias')?.value;
  const id = objectOf(table, 'id');
  return {
    name: requiredText(table, 'name').value,
    ...(alias !== undefined && { alias }),
    ...(id !== undefined && { id: columnOf(id) }),
    columns: columnsOf(table),
  };
}

function columnsOf(table: ObjectValue): SqlColumns {
  const attributes = entriesOf(table, 'columns').map(({ name, value }) => {
    const attribute = asObject(value);
    return [name.value, textOf(attribute, 'relation') ? relationOf(attribute) : columnOf(attribute)] as const;
  });
  return Object.fromEntries(attributes);
}

function relationOf(attribute: ObjectValue): SqlRelation {
  const value = objectOf(attribute, 'value');
  return {
    relation: wordOf(attribute, 'relation', RELATIONS) ?? invariant('a relation has no kind after validation'),
    table: requiredText(attribute, 'table').value,
    on: Object.fromEntries(entriesOf(attribute, 'on').map(({ name, value: ours }) => [name.value, asText(ours).text])),
    ...(boolOf(attribute, 'unique') && { unique: true }),
    ...(value === undefined ? { columns: columnsOf(attribute) } : { value: columnOf(value) }),
  };
}

/** Reports what an attribute needs beside its column, or beside its relation. */
function requireFields(table: ObjectValue, path: string, report: Diagnostics): void {
  for (const { name, value, place } of entriesOf(table, 'columns')) {
    const attribute = asObject(value);
    const field = `${path}.columns[${JSON.stringify(name.value)}]`;
    for (const [given, needed] of Object.entries(REQUIRED_WITH)) {
      if (nonEmptyText(attribute, given) === undefined) continue;
      for (const absent of needed.filter((one) => !attribute.fields.has(one)))
        report.add('policy/required', place, { field: `${field}.${absent}` });
    }
    requireFields(attribute, field, report);
  }
}

function columnOf(column: ObjectValue): SqlColumn {
  const nulls = NULLS.get(nonEmptyText(column, 'nulls')?.value ?? '');
  const collation = wordOf(column, 'collation', COLLATIONS);
  return {
    column: requiredText(column, 'column').value,
    type: wordOf(column, 'type', TYPES) ?? invariant('a column has no type after validation'),
    ...(nulls !== undefined && { null: nulls }),
    ...(collation !== undefined && { collation }),
  };
}

/** One of the words that validation accepts; undefined if it is absent. */
function wordOf<Word extends string>(object: ObjectValue, name: string, words: readonly Word[]): Word | undefined {
  const written = nonEmptyText(object, name)?.value;
  return words.find((word) => word === written);
}

function asObject(value: ReturnType<typeof entriesOf>[number]['value']): ObjectValue {
  return value.kind === 'object' ? value : invariant('a value is not an object');
}
