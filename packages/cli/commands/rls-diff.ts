import { diffProtections, type ProtectedVersion, type StatementChange } from '../../analysis/rls/diff.js';
import { loadVersion } from '../../analysis/decision/policy-version.js';
import type { Paint } from '../../../compiler/diagnostics/paint.js';
import { solverNoteFor } from '../../analysis/diff/report/paragraphs.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT } from '../exit.js';
import type { Finding, FindingRule } from '../findings/finding.js';
import { isLogFormat, type LogFormat, printLog } from '../findings/log.js';
import { comparedSets, readFileOfSet, readSet, type SetName } from '../policies/compared-sets.js';
import type { FAILING, SolverOptions } from '../policies/comparison-options.js';
import { parseEnforcedTables, readEnforcedTables } from '../policies/request-files.js';
import { chooseProver } from '../policies/solver.js';
import { choosePaint } from '../report.js';
import { runLimited } from '../run-limit.js';
import { findRefusal } from './diff.js';
import { makeProtection, requireKinds, requireTable } from './rls-verify.js';

/** The command line options of `authzc rls diff`. */
export interface RlsDiffOptions extends SolverOptions {
  readonly table?: string;
  /** The table file of the old state; by default the same. */
  readonly oldTable?: string;
  readonly kind?: readonly string[];
  readonly dir: string;
  readonly timeout: number;
  readonly failOn: readonly (typeof FAILING)[number][];
  readonly output: 'text' | 'json' | LogFormat;
}

/** `authzc rls diff`: what a change of policies or tables changes about each statement on a table. Returns the exit code. */
export async function rlsDiffCommand(
  [old, new_]: readonly [string, string | undefined],
  options: RlsDiffOptions,
  context: CommandContext,
): Promise<number> {
  const table = requireTable(options);
  return runLimited(options.timeout, context, async (limit) => {
    const sets = comparedSets(old, new_, options.dir);
    const sides: ProtectedVersion[] = [];
    for (const [at, name] of sets.entries()) {
      const given = at === 0 ? options.oldTable : undefined;
      const own = { ...options, table, given, prefix: at === 0 ? ('old:' as const) : ('new:' as const) };
      const side = await readSide(name, own, limit.signal, context);
      if (typeof side === 'number') return side;
      sides.push(side);
    }
    requireKinds(
      options.kind,
      sides.map(({ file }) => file),
      table,
    );
    const changes = await diffProtections(...(sides as [ProtectedVersion, ProtectedVersion]), {
      prover: chooseProver(options),
      isOver: limit.isOver,
    });
    print(changes, table, options.output, context);
    return changes.some(({ verdict }) => FAILS[verdict].some((each) => options.failOn.includes(each)))
      ? EXIT.failed
      : EXIT.done;
  });
}

const FAILS: Readonly<Record<StatementChange['verdict'], RlsDiffOptions['failOn']>> = {
  unchanged: [],
  widened: ['widened'],
  narrowed: ['narrowed'],
  mixed: ['widened', 'narrowed'],
  'widened, narrowing not decided': ['widened', 'undecided'],
  'narrowed, widening not decided': ['narrowed', 'undecided'],
  'not widened': ['undecided'],
  'not narrowed': ['undecided'],
  'not decided': ['undecided'],
};

/** How one of the two states is read. */
interface Side extends RlsDiffOptions {
  readonly table: string;
  /** The table file that an option names for this state. */
  readonly given: string | undefined;
  readonly prefix: 'old:' | 'new:';
}

/** The tables of a state: those of its revision, as a change of them can open rows, too. */
async function readTables(
  name: SetName,
  { table, given }: Side,
  signal: AbortSignal,
  context: CommandContext,
): Promise<TableFile> {
  if (given !== undefined || table === '-' || 'folder' in name) return readEnforcedTables(given ?? table, context);
  const source = await readFileOfSet(name, table, { signal, environment: context.env });
  if (source !== undefined) return parseEnforcedTables(source);
  printNote(
    context,
    visible(`note: \`${name.revision}\` has no file \`${table}\`: the one of the working tree is used`),
  );
  return readEnforcedTables(table, context);
}

/** A state of a database; the exit code if there is none. */
async function readSide(
  name: SetName,
  options: Side,
  signal: AbortSignal,
  context: CommandContext,
): Promise<ProtectedVersion | number> {
  const set = await readSet(name, options.dir, { signal, environment: context.env });
  const version = loadVersion(set.compilation, set.source);
  if (version === undefined) {
    context.stderr.write(findRefusal(set, options.prefix, 'pretty', context));
    return EXIT.refused;
  }
  const file = await readTables(name, options, signal, context);
  const table = options.given ?? options.table;
  const protection = makeProtection(version.lowered, file, { ...options, table }, context);
  return protection === undefined ? EXIT.failed : { version, file, protection };
}

function print(
  changes: readonly StatementChange[],
  table: string,
  output: RlsDiffOptions['output'],
  context: CommandContext,
): void {
  const { stdout } = context;
  if (isLogFormat(output)) printLog(output, toFindings(changes, table), RULES, { stdout });
  else if (output === 'json') stdout.write(`${visibleJson({ changes }, 2)}\n`);
  else stdout.write(changesText(changes, choosePaint(stdout, context)));
}

const RULES: readonly FindingRule[] = [
  {
    id: 'rls-diff/changed',
    level: 'warning',
    help: 'A statement on a table is allowed for other rows than before. docs/row-level-security-verify.md#compare-two-states explains it.',
  },
];

function toFindings(changes: readonly StatementChange[], table: string): readonly Finding[] {
  return changes
    .filter(({ verdict }) => verdict !== 'unchanged')
    .map((change) => ({
      rule: 'rls-diff/changed',
      level: change.verdict === 'narrowed' ? 'note' : 'warning',
      message: [`${visible(change.table)}: ${change.command}: ${change.verdict}`, ...detailLines(change)].join('\n'),
      location: { path: table },
    }));
}

/** The changes, and the statements that are as they were. Ends with a line break. */
function changesText(changes: readonly StatementChange[], paint: Paint): string {
  const changed = changes.filter(({ verdict }) => verdict !== 'unchanged');
  const lines = changed.flatMap((change) => [
    `${paint.strong(visible(change.table))}`,
    `  ${change.verdict === 'narrowed' ? change.verdict.toUpperCase() : paint.severity('warning', change.verdict.toUpperCase())}  ${change.command}`,
    ...detailLines(change).map((line) => `    ${line}`),
    '',
  ]);
  const count = changes.length - changed.length;
  const note = solverNoteFor(changes.filter(({ needsSolver }) => needsSolver).length, 'statement');
  return [
    ...lines,
    `${changes.length} statements: ${count} unchanged, ${changed.length} changed`,
    ...(note === undefined ? [] : [note]),
    '',
  ].join('\n');
}

function detailLines({ reason, request, removed, added }: StatementChange): readonly string[] {
  return [
    ...(reason === undefined ? [] : [reason]),
    ...(request === undefined
      ? []
      : [
          `principal ${visible(JSON.stringify(request.principal))}`,
          `resource  ${visible(JSON.stringify(request.resource))}`,
          `action    ${visible(request.action)}`,
        ]),
    ...removed.map((line) => `- ${visible(line)}`),
    ...added.map((line) => `+ ${visible(line)}`),
  ];
}
