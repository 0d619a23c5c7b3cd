import {
  findClosureProblem,
  type SqlColumn,
  type SqlColumns,
  type SqlRelation,
  type SqlRowFilter,
  type SqlTable,
  type SqlUsers,
} from '../../runtime/residual/sql/table.js';
import { type Diagnostic, Diagnostics } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import type { Place } from '../diagnostics/span.js';
import { invariant } from '../diagnostics/invariant.js';
import {
  asText,
  findField,
  readBool,
  readEntries,
  nonEmptyText,
  readObject,
  requiredText,
  readText,
} from '../parse/build/fields.js';
import { adviseRequired } from '../parse/advice.js';
import { decodeObject } from '../parse/decode.js';
import type { ObjectValue } from '../parse/schema/value.js';
import { validateStructure } from '../parse/structure.js';
import { readDocument } from '../parse/yaml/read.js';
import { readRowSecurity, readScope, type RowSecurity } from './row-security.js';
import { COLLATIONS, NULLS, PRECISIONS, RELATIONS, REQUIRED_WITH, TABLES, TRUST, TYPES, ZONES } from './schema.js';
import { NO_SESSION, readSession, type Session } from './session.js';

/** What a file says of tables. */
export interface TableFile {
  /** The tables by kind. */
  readonly tables: ReadonlyMap<string, SqlTable>;
  /** The table of users; undefined if the file has none. */
  readonly users: SqlUsers | undefined;
  /** What a database enforces, by kind. */
  readonly rowSecurity: ReadonlyMap<string, RowSecurity>;
  /** What the policies of a database know of a principal. */
  readonly session: Session;
  /** Where the file says something of a table, a column or a relation; undefined if it does not. */
  placeOf(declared: object, field: string): Place | undefined;
}

/** The tables of a file, or what is wrong with it. */
export type ReadTables =
  | TableFile
  /** One at least. */
  | { readonly problems: readonly Diagnostic[] };

/** Reads a file of tables (docs/plans.md#tables-in-a-file): YAML or JSON. An empty file has none. */
export function readTables(source: Source): ReadTables {
  const report = new Diagnostics();
  const rowSecurity = new Map<string, RowSecurity>();
  const read = readDocument(source, report);
  const document = read && decodeObject(read.root, TABLES, read.problems);
  read?.problems.reportTo(report);
  let session = NO_SESSION;
  if (document !== undefined && !report.hasErrors && validateStructure(document, source, report)) {
    session = readSession(document, report);
    const secured = securedTables(document);
    for (const { name, value } of readEntries(document, 'tables')) {
      const path = `tables[${JSON.stringify(name.value)}]`;
      requireFields(asObject(value), path, report);
      requireTrusted(asObject(value), path, secured, report);
      const own = readRowSecurity(asObject(value), path, report);
      if (own !== undefined) rowSecurity.set(name.value, own);
    }
    const users = readObject(document, 'users');
    if (users !== undefined) requireUsers(users, report);
    else if (readEntries(document, 'tables').length === 0)
      report.add(
        'policy/required',
        document.fields.get('tables')?.place ?? source,
        { field: 'tables' },
        { notes: adviseRequired('tables') },
      );
  }
  const problems = report.sorted();
  if (problems.length > 0) return { problems };
  const written = new Map<object, ObjectValue>();
  const entries = document === undefined ? [] : readEntries(document, 'tables');
  const builder = new TableBuilder(written);
  const users = document && readObject(document, 'users');
  return {
    tables: new Map(entries.map(({ name, value }) => [name.value, builder.table(asObject(value))])),
    users: users && builder.users(users),
    rowSecurity,
    session,
    placeOf: (declared, field) => written.get(declared)?.fields.get(field)?.place,
  };
}

/** Makes tables of what a file says, and keeps where it says it. */
class TableBuilder {
  constructor(private readonly written: Map<object, ObjectValue>) {}

  table(table: ObjectValue): SqlTable {
    const alias = nonEmptyText(table, 'alias')?.value;
    const id = readObject(table, 'id');
    return this.keep(table, {
      name: requiredText(table, 'name').value,
      ...(alias !== undefined && { alias }),
      ...(id !== undefined && { id: this.column(id) }),
      columns: this.columns(table),
    });
  }

  users(users: ObjectValue): SqlUsers {
    const { id, ...table } = this.table(users);
    const roles = readObject(users, 'roles') ?? invariant('users have no roles after validation');
    const scope = readScope(users, 'users.scope', new Diagnostics());
    return this.keep(users, {
      ...table,
      id: id ?? invariant('users have no id after validation'),
      roles: this.attribute(roles),
      ...(users.fields.has('where') && { where: readRowFilter(users) }),
      ...(scope !== '' && { scope: typeof scope === 'string' ? scope : { column: scope.column, type: 'text' } }),
    });
  }

  private columns(table: ObjectValue): SqlColumns {
    return Object.fromEntries(
      readEntries(table, 'columns').map(({ name, value }) => [name.value, this.attribute(asObject(value))]),
    );
  }

  private attribute(attribute: ObjectValue): SqlColumn | SqlRelation {
    return readText(attribute, 'relation') ? this.relation(attribute) : this.column(attribute);
  }

  private relation(attribute: ObjectValue): SqlRelation {
    const value = readObject(attribute, 'value');
    const trust = readWord(attribute, 'trust', TRUST);
    return this.keep(attribute, {
      relation: readWord(attribute, 'relation', RELATIONS) ?? invariant('a relation has no kind after validation'),
      table: requiredText(attribute, 'table').value,
      on: readPairs(attribute, 'on'),
      ...(attribute.fields.has('closure') && { closure: readPairs(attribute, 'closure') }),
      ...(readBool(attribute, 'unique') && { unique: true }),
      ...(trust !== undefined && { trust }),
      ...(attribute.fields.has('where') && { where: readRowFilter(attribute) }),
      ...(value === undefined ? { columns: this.columns(attribute) } : { value: this.column(value) }),
    });
  }

  private column(column: ObjectValue): SqlColumn {
    return this.keep(column, buildColumn(column));
  }

  private keep<Built extends object>(written: ObjectValue, built: Built): Built {
    this.written.set(built, written);
    return built;
  }
}

/** Columns, each with the one that it equals. */
function readPairs(attribute: ObjectValue, name: 'on' | 'closure'): Readonly<Record<string, string>> {
  return Object.fromEntries(readEntries(attribute, name).map((pair) => [pair.name.value, asText(pair.value).text]));
}

/** The values of columns, with the types that they have in YAML. */
function readRowFilter(attribute: ObjectValue): SqlRowFilter {
  return Object.fromEntries(
    readEntries(attribute, 'where').map(({ name, value }) => {
      const { node, text } = asText(value);
      switch (node.type) {
        case 'Null':
          return [name.value, null];
        case 'Bool':
          return [name.value, text.toLowerCase() === 'true'];
        case 'Integer':
          return [name.value, Number(text)];
        default:
          return [name.value, text];
      }
    }),
  );
}

/** Reports a closure that no database can find. */
function requireClosure(attribute: ObjectValue, field: string, report: Diagnostics): void {
  const closure = findField(attribute, 'closure');
  const relation = readWord(attribute, 'relation', RELATIONS);
  if (closure === undefined || relation === undefined) return;
  const pairs = { on: readPairs(attribute, 'on'), closure: readPairs(attribute, 'closure') };
  const problem = findClosureProblem({ relation, ...pairs });
  if (problem !== undefined) report.add('tables/closure', closure.place, { field: `${field}.closure`, problem });
}

/** Reports what an attribute needs beside its column, or beside its relation. */
function requireFields(table: ObjectValue, path: string, report: Diagnostics): void {
  for (const { name, value, place } of readEntries(table, 'columns'))
    requireAttribute(asObject(value), place, `${path}.columns[${JSON.stringify(name.value)}]`, report);
}

/** The tables whose rows a database protects, by name. */
function securedTables(document: ObjectValue): ReadonlySet<string> {
  const tables = readEntries(document, 'tables').map(({ value }) => asObject(value));
  return new Set(
    tables.filter((table) => table.fields.has('rls')).map((table) => requiredText(table, 'name').value.toLowerCase()),
  );
}

/** Reports relations with `trust: plain` whose rows policies hide, or whose table has no schema. */
function requireTrusted(table: ObjectValue, path: string, secured: ReadonlySet<string>, report: Diagnostics): void {
  for (const { name, value } of readEntries(table, 'columns')) {
    const attribute = asObject(value);
    const field = `${path}.columns[${JSON.stringify(name.value)}]`;
    const trust = findField(attribute, 'trust');
    const other = nonEmptyText(attribute, 'table')?.value ?? '';
    const problem = !other.includes('.')
      ? `it needs its schema, as a policy reads it: \`public.${other}\``
      : secured.has(other.toLowerCase())
        ? `the table file has policies for ${other}, which hide rows of it`
        : undefined;
    if (trust !== undefined && nonEmptyText(attribute, 'trust') !== undefined && problem !== undefined)
      report.add('rls/action', trust.place, { field: `${field}.trust`, problem });
    requireTrusted(attribute, field, secured, report);
  }
}

function requireAttribute(attribute: ObjectValue, place: Place, field: string, report: Diagnostics): void {
  for (const [given, needed] of Object.entries(REQUIRED_WITH)) {
    if (nonEmptyText(attribute, given) === undefined) continue;
    for (const absent of needed.filter((one) => !attribute.fields.has(one)))
      report.add('policy/required', place, { field: `${field}.${absent}` });
  }
  requireClosure(attribute, field, report);
  requireFields(attribute, field, report);
}

/** Reports roles of users that are no texts, besides what every table needs. */
function requireUsers(users: ObjectValue, report: Diagnostics): void {
  requireFields(users, 'users', report);
  readScope(users, 'users.scope', report);
  const roles = findField(users, 'roles');
  if (roles === undefined) return;
  const object = asObject(roles.value);
  requireAttribute(object, roles.place, 'users.roles', report);
  const isRelation = nonEmptyText(object, 'relation') !== undefined;
  const stored = isRelation ? roleColumn(object, 'many') : object;
  if (stored === undefined)
    report.add('tables/roles', roles.place, {
      problem:
        'rows of another table need `relation: many` and a `value`, or one column, which may be that of `relation: one` to the table of roles',
    });
  const typed = stored ?? readObject(object, 'value');
  const type = typed && nonEmptyText(typed, 'type')?.value;
  const types = isRelation ? OF_ROLE : [...OF_ROLE, ...OF_ROLES];
  if (type !== undefined && !types.includes(type))
    report.add('tables/roles', roles.place, { problem: `the type is one of ${types.join(', ')}` });
}

/** The column with the role of related rows: their value, or the only column that they, or `one` further row, have. */
function roleColumn(relation: ObjectValue, kind: 'one' | 'many'): ObjectValue | undefined {
  if (nonEmptyText(relation, 'relation')?.value !== kind) return undefined;
  const value = readObject(relation, 'value');
  if (value !== undefined) return value;
  const [only, ...others] = readEntries(relation, 'columns');
  if (only === undefined || others.length > 0 || only.name.value.includes('.')) return undefined;
  const column = asObject(only.value);
  return nonEmptyText(column, 'relation') === undefined ? column : roleColumn(column, 'one');
}

/** The types of columns with one role, and with a list of them. */
const OF_ROLE: readonly string[] = ['text'];
const OF_ROLES: readonly string[] = ['list', 'json', 'text[]'];

function buildColumn(column: ObjectValue): SqlColumn {
  const nulls = NULLS.get(nonEmptyText(column, 'nulls')?.value ?? '');
  const collation = readWord(column, 'collation', COLLATIONS);
  const zone = readWord(column, 'zone', ZONES);
  const precision = PRECISIONS.get(nonEmptyText(column, 'precision')?.value ?? '');
  return {
    column: requiredText(column, 'column').value,
    type: readWord(column, 'type', TYPES) ?? invariant('a column has no type after validation'),
    ...(nulls !== undefined && { null: nulls }),
    ...(collation !== undefined && { collation }),
    ...(zone !== undefined && { zone }),
    ...(precision !== undefined && { precision }),
  };
}

/** One of the words that validation accepts; undefined if it is absent. */
function readWord<Word extends string>(object: ObjectValue, name: string, words: readonly Word[]): Word | undefined {
  const written = nonEmptyText(object, name)?.value;
  return words.find((word) => word === written);
}

function asObject(value: ReturnType<typeof readEntries>[number]['value']): ObjectValue {
  return value.kind === 'object' ? value : invariant('a value is not an object');
}
