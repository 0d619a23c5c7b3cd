import type { TableFile } from '../../../compiler/tables/read-tables.js';
import type { Command } from '../../../compiler/tables/row-security.js';
import { COMMANDS } from '../../../compiler/tables/schema.js';
import type { PolicyVersion } from '../decision/policy-version.js';
import { compareVersions } from '../diff/diff.js';
import type { DiffOptions } from '../diff/options.js';
import type { DiffAnswer, DiffResult, DiffRow, DiffVerdict, WitnessRequest } from '../diff/report.js';
import { needsSolver } from '../diff/report/paragraphs.js';
import { makeRowSchemas } from './row-schemas.js';
import type { Protection, TablePolicy, TableProtection } from './protection.js';

/** One of two states of a database: policies, and the tables that they protect. */
export interface ProtectedVersion {
  readonly version: PolicyVersion;
  readonly file: TableFile;
  readonly protection: Protection;
}

/** What changes about a statement on a table. */
export interface StatementChange {
  /** Its name, with its schema. */
  readonly table: string;
  readonly command: Command;
  readonly verdict: DiffVerdict;
  /** Why it is not decided, or changed without a request. */
  readonly reason?: string;
  /** A request that both decide differently. */
  readonly request?: WitnessRequest;
  /** Whether a part is not decided because there is no solver. */
  readonly needsSolver?: true;
  /** The lines of its policy that are gone, and those that are new. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * What changes between two states of a database, for each statement on each table. Equal conditions prove that nothing
 * changes; otherwise the policies are compared as for requests, which says who may do more or less.
 */
export async function diffProtections(
  old: ProtectedVersion,
  new_: ProtectedVersion,
  options: DiffOptions,
): Promise<readonly StatementChange[]> {
  const tables = [
    ...new Set([old, new_].flatMap(({ protection }) => protection.tables.map(({ name }) => name))),
  ].sort();
  const rowSchemas = new Map([...new_.file.tables].map(([kind, table]) => [kind, makeRowSchemas(table)]));
  const compareAction = compareOnce(old.version, new_.version, {
    ...options,
    existing: (kind) => rowSchemas.get(kind) ?? [],
    engine: { ...options.engine, schemaEnforcement: new_.file.session.enforcesSchemas ? 'reject' : 'none' },
  });
  const changes: StatementChange[] = [];
  for (const table of tables)
    for (const command of COMMANDS) {
      const [before, after] = [old, new_].map((side) => findStatement(side, table, command)) as [Statement, Statement];
      if (before.policy === undefined && after.policy === undefined) continue;
      const [removed, added] = [listLines(before.policy), listLines(after.policy)];
      changes.push({
        table,
        command,
        ...(await compareStatements(before, after, compareAction)),
        removed: removed.filter((line) => !added.includes(line)),
        added: added.filter((line) => !removed.includes(line)),
      });
    }
  return changes;
}

type CompareAction = (kind: string, action: string) => Promise<Pick<DiffResult, 'rows'>>;

/** Compares the decisions about an action of a kind; once, as several statements may need it. */
function compareOnce(old: PolicyVersion, new_: PolicyVersion, options: DiffOptions): CompareAction {
  const known = new Map<string, ReturnType<CompareAction>>();
  return (kind, action) => {
    const key = JSON.stringify([kind, action]);
    const report = known.get(key) ?? compareVersions(old, new_, { ...options, kind, action });
    known.set(key, report);
    return report;
  };
}

/** A statement on a table in one of the two states. */
interface Statement {
  readonly side: ProtectedVersion;
  readonly table: TableProtection | undefined;
  readonly policy: TablePolicy | undefined;
  readonly command: Command;
}

type Verdict = Pick<StatementChange, 'verdict' | 'reason' | 'request' | 'needsSolver'>;

function findStatement(side: ProtectedVersion, name: string, command: Command): Statement {
  const table = side.protection.tables.find((each) => each.name === name);
  return { side, table, policy: table?.policies.find((each) => each.command === command), command };
}

function listLines(policy: TablePolicy | undefined): readonly string[] {
  if (policy === undefined) return [];
  const { using, check } = policy;
  return [
    ...(using === undefined ? [] : `USING ${using}`.split('\n')),
    ...(check === undefined || check === using ? [] : `WITH CHECK ${check}`.split('\n')),
  ];
}

async function compareStatements(before: Statement, after: Statement, compareAction: CompareAction): Promise<Verdict> {
  if (
    before.table === undefined ||
    after.table === undefined ||
    before.policy === undefined ||
    after.policy === undefined
  )
    return before.policy === undefined
      ? { verdict: 'widened', reason: 'nobody could do this before' }
      : { verdict: 'narrowed', reason: 'nobody can do this any more' };
  const [kind, other] = [before.table.kind, after.table.kind];
  if (kind !== other)
    return { verdict: 'not decided', reason: `the kind of the table changed from \`${kind}\` to \`${other}\`` };
  for (const [part, what] of SURROUNDINGS)
    if (JSON.stringify(part(before)) !== JSON.stringify(part(after))) return { verdict: 'not decided', reason: what };
  if (before.policy.using === after.policy.using && before.policy.check === after.policy.check)
    return { verdict: 'unchanged' };
  if (JSON.stringify(getMapping(before)) !== JSON.stringify(getMapping(after)))
    return {
      verdict: 'not decided',
      reason: 'the table file changed: its actions, its columns, or whether schemas are enforced',
    };
  return compareActions(after, compareAction);
}

/** What else decides who sees a row, and why a change of it is not decided. */
const SURROUNDINGS: readonly (readonly [part: (statement: Statement) => unknown, reason: string])[] = [
  [({ table }) => table?.roles, 'the roles of the database changed'],
  [({ table }) => table?.frozen, 'the frozen columns changed'],
  [({ side }) => side.protection.helpers, 'the functions that read the principal of a session changed'],
];

/** The actions that a statement needs, the policies and schemas that decide, and where attributes are stored. */
function getMapping({ side, table, command }: Statement): unknown {
  const kind = table?.kind ?? '';
  const security = side.file.rowSecurity.get(kind);
  const { place: _, ...rules } = security?.commands[command] ?? { place: undefined };
  return [rules, security?.scope, security?.version, side.file.session.enforcesSchemas, side.file.tables.get(kind)];
}

async function compareActions(after: Statement, compareAction: CompareAction): Promise<Verdict> {
  const kind = after.table?.kind ?? '';
  const security = after.side.file.rowSecurity.get(kind);
  const rules = security?.commands[after.command];
  const actions = [...new Set([rules?.using, rules?.check].flatMap((asked) => asked?.actions ?? []))];
  const rows: DiffRow[] = [];
  for (const action of actions) {
    const { rows: all } = await compareAction(kind, action);
    rows.push(
      ...all.filter(
        (row) =>
          row.kind === kind &&
          row.version === security?.version &&
          (typeof security.scope !== 'string' || row.scope === security.scope),
      ),
    );
  }
  if (rows.length === 0) return { verdict: 'not decided', reason: 'no policies have its scope and its version' };
  const changed = rows.filter(({ verdict }) => verdict !== 'unchanged');
  if (changed.length === 0) return { verdict: 'unchanged' };
  const answers = changed.flatMap(({ widened, narrowed }) => [widened, narrowed]);
  const request = answers.flatMap((answer) => (answer.answer === 'yes' ? [answer.request] : []))[0];
  const shown = { ...(request && { request }), ...(answers.some(needsSolver) && { needsSolver: true as const }) };
  // The rows of one of several actions may be those of another one.
  if (actions.length > 1)
    return { verdict: 'not decided', reason: `one of its actions changed: ${actions.join(', ')}`, ...shown };
  const chooseAnswer = (direction: 'widened' | 'narrowed'): DiffAnswer['answer'] =>
    ANSWERS.find((answer) => changed.some((row) => row[direction].answer === answer)) ?? 'no';
  return { verdict: VERDICTS[`${chooseAnswer('widened')} ${chooseAnswer('narrowed')}`], ...shown };
}

/** The answers, that of several rows first. */
const ANSWERS: readonly DiffAnswer['answer'][] = ['yes', '?', 'no'];

/** Whether a statement is widened and whether it is narrowed. */
const VERDICTS: Readonly<Record<`${DiffAnswer['answer']} ${DiffAnswer['answer']}`, DiffVerdict>> = {
  'no no': 'unchanged',
  'yes no': 'widened',
  'no yes': 'narrowed',
  'yes yes': 'mixed',
  'yes ?': 'widened, narrowing not decided',
  '? yes': 'narrowed, widening not decided',
  'no ?': 'not widened',
  '? no': 'not narrowed',
  '? ?': 'not decided',
};
