import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type FactsReport, makeFactsReport } from '../../analysis/facts/facts-report.js';
import { compareLock, type FactsLock, makeLock } from '../../analysis/facts/lock.js';
import { changeText } from '../../analysis/facts/report/changes.js';
import { factsColumns } from '../../analysis/facts/report/columns.js';
import { factsJson } from '../../analysis/facts/report/json.js';
import { listUnread } from '../../analysis/facts/report/mask.js';
import { factsText } from '../../analysis/facts/report/text.js';
import { unprovidedText } from '../../analysis/facts/report/unprovided.js';
import { listUnprovided } from '../../analysis/facts/unprovided.js';
import { readProviders } from '../policies/sources-file.js';
import { factsTypes } from '../../analysis/facts/report/types.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { Program } from '../../../compiler/ir/program.js';
import { checkNarrowing } from '../../analysis/decision/narrowing.js';
import { fold } from '../../../compiler/optimise/index.js';
import { PACKAGE_NAMES } from '../../../compiler/package-names.js';
import type { CommandContext } from '../context.js';
import { EXIT, printMessage, UsageError } from '../exit.js';
import type { FACTS_FORMATS } from './facts-formats.js';
import { compiledFolder } from '../policies/compile.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import { readTableFile } from '../policies/request-files.js';
import { InputError } from '../report.js';

/** The command line options of `authzc facts`. */
export interface FactsCommandOptions extends EngineFlags {
  readonly kind?: readonly string[];
  readonly action?: readonly string[];
  readonly role?: readonly string[];
  readonly scope?: string;
  readonly policyVersion?: string;
  readonly level: 'effect' | 'response';
  readonly output: (typeof FACTS_FORMATS)[number];
  /** A file of tables. */
  readonly table?: string;
  readonly lines?: boolean;
  /** A configuration of the server: only facts that none of its sources provides are listed. */
  readonly sources?: string;
  /** The lock file to write, or to compare with. */
  readonly write?: string;
  readonly check?: string;
}

/** `authzc facts`: what each decision can read of a request. Returns the exit code. */
export function factsCommand(directory: string, options: FactsCommandOptions, context: CommandContext): number {
  if (options.output === 'columns' && options.table === undefined)
    throw new UsageError('-o columns needs --table FILE, which names the columns of attributes');
  if (options.sources !== undefined && options.output !== 'text' && options.output !== 'json')
    throw new UsageError('with --sources, the output format must be text or json');
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const program = fold(compilation.lowered);
  const { kind, action, role, scope, policyVersion, level } = options;
  const asked = [
    { scope },
    ...(kind ?? []).map((one) => ({ kind: one })),
    ...(action ?? []).map((one) => ({ action: one })),
  ];
  for (const narrowing of asked) checkNarrowing(narrowing, [compilation.lowered], options.lenientScopeSearch);
  const report = makeFactsReport(program, {
    ...decidingOptions(options, context),
    level,
    kind,
    action,
    role,
    scope,
    version: policyVersion,
  });
  if (report.tables.length === 0)
    throw new Error('no policy covers this kind, action, role and scope; `authzc inspect` lists their names');
  const showPath = (file: string): string => shownPath(file, directory);
  if (options.sources !== undefined) {
    const unprovided = listUnprovided(report, readProviders(options.sources, context));
    context.stdout.write(
      options.output === 'json' ? `${visibleJson(unprovided, 2)}\n` : unprovidedText(unprovided, showPath),
    );
    return EXIT.done;
  }
  if (options.write !== undefined) {
    writeFileSync(options.write, `${JSON.stringify(makeLock(report), undefined, 2)}\n`);
    return EXIT.done;
  }
  if (options.check !== undefined) return checkLock(options.check, directory, report, context);
  context.stdout.write(formatReport(report, options, { program, showPath, context }));
  return EXIT.done;
}

/** Compares with a lock file, and prints what decisions read now and did not before. */
function checkLock(file: string, directory: string, report: FactsReport, context: CommandContext): number {
  const lock = readLock(file);
  if (lock.level !== report.level)
    throw new InputError(`it is of level \`${lock.level}\`; add --level ${lock.level}`, undefined, [], file);
  const changes = compareLock(lock, report);
  for (const change of changes) context.stdout.write(`${changeText(change, (path) => shownPath(path, directory))}\n`);
  if (changes.length === 0) return EXIT.done;
  printMessage(
    context,
    `decisions read other attributes than ${visible(file)} lists: review the changes, then run the command with --write ${visible(file)}`,
  );
  return EXIT.failed;
}

function readLock(file: string): FactsLock {
  if (!existsSync(file)) throw new InputError('there is no such file; write it with --write', undefined, [], file);
  try {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Partial<FactsLock>;
    if (typeof lock.level === 'string' && isObject(lock.kinds)) return lock as FactsLock;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InputError('it is not a file that `authzc facts --write` wrote', undefined, [], file);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formatReport(
  report: FactsReport,
  { output, lines = false, table = '' }: FactsCommandOptions,
  {
    program,
    showPath,
    context,
  }: { readonly program: Program; readonly showPath: (file: string) => string; readonly context: CommandContext },
): string {
  switch (output) {
    case 'text':
      return factsText(report, { lines, pathOf: showPath });
    case 'json':
      return `${visibleJson(factsJson(report), 2)}\n`;
    case 'types':
      return factsTypes(report, program, PACKAGE_NAMES.library);
    case 'columns':
      return factsColumns(report, readTableFile(table, context));
    case 'mask': {
      const paths = listUnread(report, program);
      return `audit:\n  mask:${paths.length === 0 ? ' []' : paths.map((path) => `\n    - ${visibleJson(path)}`).join('')}\n`;
    }
  }
}
