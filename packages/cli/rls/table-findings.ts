import { roleName } from '../../analysis/rls/names.js';
import { quotedName, quotedPart } from '../../analysis/sql-names.js';
import type { SqlColumn, SqlTable } from '../../../runtime/residual/sql/table.js';
import { isRelation } from '../../../runtime/residual/sql/table.js';
import type { Protection, TableProtection } from '../../analysis/rls/protection.js';
import { normalType } from '../../adapters/column-types.js';
import type { Catalogue, CatalogueColumn, CatalogueTable } from './catalogue.js';
import { note, refuted, type RlsFinding, unknown } from './finding.js';

/** Whether the policies of a table apply at all, and what is granted beside them. */
export function tableFindings(
  table: CatalogueTable,
  protection: TableProtection,
  { roles }: Pick<Catalogue, 'roles'>,
): readonly RlsFinding[] {
  const { name } = table;
  const object = `table ${name}`;
  const quoted = quotedName(name);
  const owning = roles.filter(({ as }) => as === table.owner).map(({ role }) => role);
  const owners = [...new Set(owning)];
  const findings: RlsFinding[] = [];
  if (!table.isSecured)
    findings.push(
      refuted('off', object, 'row level security is off: grants alone decide', {
        table: name,
        fix: `ALTER TABLE ${quoted} ENABLE ROW LEVEL SECURITY;`,
      }),
    );
  if (owners.length > 0)
    findings.push(
      refuted(
        table.isForced ? 'bypass' : 'not-forced',
        object,
        table.isForced
          ? `${owners.join(', ')} can act as its owner, ${table.owner}, who can turn the policies off`
          : `${owners.join(', ')} can act as its owner, ${table.owner}, to whom the policies do not apply`,
        {
          table: name,
          fix: `${table.isForced ? '-- let' : `ALTER TABLE ${quoted} FORCE ROW LEVEL SECURITY;\n-- and let`} another role own it: ALTER TABLE ${quoted} OWNER TO …;`,
        },
      ),
    );
  else if (!table.isForced)
    findings.push(
      note('not-forced', object, `the policies do not apply to its owner, ${table.owner}`, {
        table: name,
        fix: `ALTER TABLE ${quoted} FORCE ROW LEVEL SECURITY;`,
      }),
    );
  return [...findings, ...grantFindings(table, protection), ...leakFindings(table, protection)];
}

/** Privileges that no policy restricts, and those to change columns that stay as they are. */
function grantFindings(
  { name, privileges }: CatalogueTable,
  { frozen, policies }: TableProtection,
): readonly RlsFinding[] {
  const quoted = quotedName(name);
  const canUpdate = policies.some(({ command }) => command === 'update');
  return privileges.flatMap(({ role, privileges: held, updatable }) => {
    const findings: RlsFinding[] = [];
    const free = ['TRUNCATE', 'TRIGGER', 'REFERENCES'].filter((privilege) => held.includes(privilege)).join(', ');
    if (free !== '')
      findings.push(
        refuted('truncate-granted', `table ${name}`, `${role} may ${free}, which policies do not restrict`, {
          table: name,
          fix: `REVOKE ${free} ON ${quoted} FROM ${roleName(role)};`,
        }),
      );
    for (const column of canUpdate ? frozen.filter((each) => updatable.includes(each)) : [])
      findings.push(
        refuted('frozen-column-granted', `column ${name}.${column}`, `${role} may update it; it is frozen`, {
          table: name,
          // A grant of the whole table cannot be taken back for a column.
          fix: `REVOKE UPDATE, UPDATE (${quotedPart(column)}) ON ${quoted} FROM ${roleName(role)};\n-- then grant UPDATE of the other columns: run the script of \`authzc rls\` again`,
        }),
      );
    return findings;
  });
}

/** What a table tells, or changes, beside its policies. */
function leakFindings(table: CatalogueTable, { policies }: TableProtection): readonly RlsFinding[] {
  const { name } = table;
  const object = `table ${name}`;
  const alias = name.split('.').at(-1) as string;
  const conditions = policies.flatMap(({ using = '', check = '' }) => [using, check]).join('\n');
  const isOfPrincipal = (column: string): boolean => conditions.includes(`${alias}.${column} = (SELECT authz.`);
  return [
    ...table.uniques
      .filter(({ primary, columns }) => !primary && !columns.some(isOfPrincipal))
      .map(({ name: index, columns }) =>
        note('unique-leak', object, `${index} (${columns.join(', ')}) reveals whether a hidden row has a value`, {
          table: name,
        }),
      ),
    ...table.cascades.map(({ name: key, parent, action }) =>
      note('cascade', object, `${key} references ${parent} ${action}: it changes rows that policies deny`, {
        table: name,
      }),
    ),
    ...table.publications.map((publication) =>
      note('publication', object, `${publication} publishes it: subscribers receive every row`, { table: name }),
    ),
  ];
}

/** Compares the columns that the table file declares with those of the table. */
export function columnFindings(table: CatalogueTable, declared: SqlTable): readonly RlsFinding[] {
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  const stored = [...(declared.id === undefined ? [] : [declared.id]), ...Object.values(declared.columns)];
  return stored.flatMap((column) => (isRelation(column) ? [] : oneColumn(table.name, columns, column)));
}

/** Compares a column that the table file declares with that of the table. */
export function oneColumn(
  table: string,
  columns: ReadonlyMap<string, CatalogueColumn>,
  declared: SqlColumn,
): readonly RlsFinding[] {
  const name = declared.column.split('.').at(-1) as string;
  const object = `column ${table}.${name}`;
  const found = columns.get(name);
  if (found === undefined) return [refuted('column-missing', object, 'the table does not have it', { table })];
  const findings: RlsFinding[] = [];
  const isOther = declared.collation === 'other';
  const type = normalType(found.type, 'postgresql');
  const isSuited =
    listTypes(declared).includes(found.type) || (declared.type === 'text' && isOther && type === 'citext');
  if (!isSuited && !(declared.type === 'text' && found.typeKind === 'e'))
    findings.push(
      refuted(
        'column-type',
        object,
        `it is declared ${zoned(declared)}, and is ${found.type}: ${WHY[type] ?? 'PostgreSQL compares its values differently than check'}`,
        { table },
      ),
    );
  if (declared.type === 'text' && !isOther && found.deterministic === false)
    findings.push(
      refuted(
        'collation',
        object,
        `its collation ${found.collation ?? ''} takes different strings for equal; it is declared ${declared.collation ?? 'deterministic'}`,
        {
          table,
          fix: `ALTER TABLE ${quotedName(table)} ALTER COLUMN ${quotedPart(name)} TYPE text COLLATE "default";`,
        },
      ),
    );
  else if (declared.collation === 'binary' && !isBinaryCollation(found.collation))
    findings.push(
      refuted(
        'collation',
        object,
        `it is declared binary, and its collation ${found.collation ?? ''} sorts otherwise`,
        {
          table,
          fix: `ALTER TABLE ${quotedName(table)} ALTER COLUMN ${quotedPart(name)} TYPE text COLLATE "C";`,
        },
      ),
    );
  if (declared.null === 'never' && found.nullable)
    findings.push(
      refuted('nulls-never', object, 'it can be NULL: a rule that denies because of its value denies nothing then', {
        table,
        fix: `ALTER TABLE ${quotedName(table)} ALTER COLUMN ${quotedPart(name)} SET NOT NULL;`,
      }),
    );
  return findings;
}

/** Whether the order of a collation is that of bytes. */
export function isBinaryCollation(name: string | null): boolean {
  return BINARY.has(name ?? '');
}

const BINARY: ReadonlySet<string> = new Set(['C', 'POSIX', 'C.UTF-8', 'C.utf8', 'ucs_basic', 'pg_c_utf8']);

const WHY: Readonly<Record<string, string>> = {
  citext: 'it takes different strings for equal; declare `collation: other`',
  char: 'it is padded with blanks',
};

function zoned({ type, zone }: SqlColumn): string {
  return zone === undefined ? type : `${type} in ${zone}`;
}

const INTEGERS = ['smallint', 'integer', 'bigint'];

/** The types of PostgreSQL that a declared type suits (docs/plans.md#column-types). */
function listTypes({ type, zone }: SqlColumn): readonly string[] {
  switch (type) {
    case 'text':
      return ['text', 'character varying'];
    case 'integer':
    case 'integer-as-text':
    case 'epoch-seconds':
    case 'epoch-milliseconds':
      return INTEGERS;
    case 'number':
      return ['double precision'];
    case 'decimal':
      return ['numeric'];
    case 'boolean':
    case 'uuid':
      return [type];
    case 'timestamp':
      return [zone === undefined ? 'timestamp with time zone' : 'timestamp without time zone'];
    case 'json':
    case 'list':
      return ['jsonb'];
    case 'text[]':
      return ['text[]', 'character varying[]'];
  }
}

/** Tables, views and functions through which rows of a table are reached beside its policies. */
export function reachFindings(table: CatalogueTable, reader: Protection['reader']): readonly RlsFinding[] {
  const own = new Set(
    [...(reader?.functions ?? []), ...(reader?.rowFunctions ?? [])].map(({ name }) => `authz.${name}`),
  );
  return [
    ...table.relatives.flatMap(({ name, relation, isSecured, policies, roles }): readonly RlsFinding[] => {
      if (roles.length === 0 || (isSecured && policies === 0)) return [];
      const object = `table ${name}`;
      const more = {
        table: table.name,
        fix: `REVOKE ALL ON ${name} FROM ${roles.map((role) => roleName(role)).join(', ')};`,
      };
      const how = relation === 'child' ? `has rows of ${table.name}` : `shows rows of ${table.name}`;
      return [
        isSecured
          ? unknown('child-unprotected', object, `it ${how}, and has policies that were not compared`, more)
          : refuted(
              'child-unprotected',
              object,
              `it ${how}, without policies, and ${roles.join(', ')} may use it`,
              more,
            ),
      ];
    }),
    ...table.views.flatMap((view): readonly RlsFinding[] => {
      const readers = view.roles.join(', ');
      if (readers === '') return [];
      if (view.isMaterialized)
        return [
          refuted(
            'materialized-view',
            `materialized view ${view.name}`,
            `${readers} may read it: it has rows of ${table.name}`,
            {
              table: table.name,
              fix: `REVOKE ALL ON ${view.name} FROM ${grantees(view.roles)};`,
            },
          ),
        ];
      if (view.isInvoker || !view.isOwnerExempt) return [];
      return [
        refuted(
          'view-definer',
          `view ${view.name}`,
          `${readers} may read it: it reads ${table.name} as ${view.owner}, to whom policies do not apply`,
          { table: table.name, fix: `ALTER VIEW ${view.name} SET (security_invoker = true);` },
        ),
      ];
    }),
    ...table.functions.flatMap(({ name, owner, isOwnerExempt, roles }): readonly RlsFinding[] =>
      roles.length === 0 || !isOwnerExempt || own.has(name.replace(/\(.*/s, ''))
        ? []
        : [
            unknown(
              'definer-function',
              `function ${name}`,
              `it names ${table.name} and runs as ${owner}, to whom policies do not apply; ${roles.join(', ')} may call it`,
              { table: table.name, fix: `ALTER FUNCTION ${name} SECURITY INVOKER;` },
            ),
          ],
    ),
  ];
}

function grantees(roles: readonly string[]): string {
  return roles.map((role) => roleName(role)).join(', ');
}
