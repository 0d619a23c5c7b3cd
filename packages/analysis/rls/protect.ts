import type { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import type { AskedActions, Command, RowSecurity } from '../../../compiler/tables/row-security.js';
import { COMMANDS } from '../../../compiler/tables/schema.js';
import { Refusal } from '../../../runtime/residual/sql/refusal.js';
import type { SqlTable } from '../../../runtime/residual/sql/table.js';
import { Decisions, type Selecting } from '../decision/decisions.js';
import { isImplied } from './advice.js';
import { NotInDatabase } from './decision.js';
import { helpers } from './helpers.js';
import { digest } from './names.js';
import { type RowCondition, rowCondition, SharedParts } from './policy.js';
import { oneLine, listRules } from './rule-names.js';
import type { Protection, TablePolicy, TableProtection } from './protection.js';

/**
 * What a database enforces for the tables of a file that have `rls`. Reports each statement that no policy says exactly;
 * then there is nothing to enforce.
 *
 * @param kinds only their tables; by default all.
 */
export function protectTables(
  program: Program,
  options: Selecting,
  file: TableFile,
  report: Diagnostics,
  kinds?: readonly string[],
): Protection | undefined {
  const decisions = new Decisions(program, options);
  const shared = new SharedParts(file.session);
  const tables = [...file.rowSecurity].flatMap(([kind, security]) => {
    const table = file.tables.get(kind);
    if (table === undefined || (kinds !== undefined && !kinds.includes(kind))) return [];
    return [protectTable(decisions, { kind, table, security }, shared, report)];
  });
  if (report.hasErrors) return undefined;
  const reader = shared.keys.reader(file.session.reader);
  const content = {
    isWhole: kinds === undefined,
    roles: [...new Set(tables.flatMap(({ roles }) => roles))].sort(),
    isSigned: file.session.source === 'signed',
    helpers: helpers(file.session),
    ...(reader !== undefined && { reader }),
    tables: tables.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  // Names and lines of rules change nothing in a database.
  const version = digest(JSON.stringify(content, (key, value: unknown) => (key === 'rules' ? undefined : value)));
  return { ...content, version, computed: shared.computed.all };
}

interface ProtectedTable {
  readonly kind: string;
  readonly table: SqlTable;
  readonly security: RowSecurity;
}

function protectTable(
  decisions: Decisions,
  { kind, table, security }: ProtectedTable,
  shared: SharedParts,
  report: Diagnostics,
): TableProtection {
  const { to, version, scope, commands, frozen } = security;
  const place = { kind, version, scope };
  // A policy names columns by their table, which sub-selects do not hide.
  const own: SqlTable = { ...table, alias: table.name.split('.').at(-1) as string };
  const policies: TablePolicy[] = [];
  const plain = new Set<string>();
  for (const command of COMMANDS) {
    const rules = commands[command];
    if (rules === undefined) continue;
    try {
      const makeCondition = (asked: AskedActions | undefined): RowCondition | undefined => {
        const made = asked && rowCondition(decisions, place, asked, own, shared);
        for (const related of made?.plain ?? []) plain.add(related);
        return made;
      };
      const found = makeCondition(rules.using);
      const using = found && textOf(found);
      for (const condition of found?.perRow ?? [])
        report.add('rls/slow-relation', rules.place, { kind, command, condition }, { notes: [WITH_PLAN] });
      if (found?.isWithoutIndex === true)
        report.add('rls/no-index', rules.place, { kind, command }, { notes: [WITH_PLAN] });
      // `update: edit` asks the same of the row before and after.
      const checked = rules.check === rules.using ? found : makeCondition(rules.check);
      const check = checked && textOf(checked);
      policies.push({
        name: `authz_${command}`,
        command,
        ...(using !== undefined && { using }),
        ...(check !== undefined && { check }),
        rules: listRules(
          decisions,
          place,
          [rules.using, rules.check].flatMap((asked) => asked ?? []),
        ),
        comment: `authz 1 ${digest(JSON.stringify([using, check]))} ${oneLine(`${kind}: ${formatActions(rules)}`)}`,
      });
    } catch (error) {
      if (!(error instanceof NotInDatabase || error instanceof Refusal)) throw error;
      report.add('rls/not-in-sql', rules.place, { kind, command, reason: error.message });
    }
  }
  const { insert, select } = commands;
  if (
    insert?.check !== undefined &&
    (select?.using === undefined || !isImplied(decisions, place, insert.check, select.using))
  )
    report.add('rls/insert-returning', insert.place, { kind }, { notes: [INSERT_VISIBLE] });
  const directly = [...plain].sort();
  return { kind, name: table.name, roles: to, frozen, policies, ...(directly.length > 0 && { plain: directly }) };
}

const WITH_PLAN = {
  message: 'for lists, add the plan of the principal to the query: it finds the rows by their index',
};

const INSERT_VISIBLE = {
  message: 'allow `select` on what one may insert, or ask both: `insert: {all: [create, view]}`',
};

function textOf({ conjuncts }: RowCondition): string {
  return conjuncts.join('\n  AND ');
}

function formatActions({ using, check }: NonNullable<RowSecurity['commands'][Command]>): string {
  const texts = [using, check].flatMap((asked) =>
    asked === undefined ? [] : [asked.actions.join(asked.of === 'any' ? ' or ' : ' and ')],
  );
  return [...new Set(texts)].join(', then ');
}
