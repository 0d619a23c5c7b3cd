import { addHashes, compareVersions } from '../../analysis/diff/diff.js';
import type { DiffResult } from '../../analysis/diff/report.js';
import { diffJson } from '../../analysis/diff/report/json.js';
import { diffList } from '../../analysis/diff/report/list.js';
import { markdownDiff } from '../../analysis/diff/report/markdown.js';
import { prettyDiff } from '../../analysis/diff/report/pretty.js';
import { loadVersion } from '../../analysis/decision/policy-version.js';
import { formatList, formatPretty, shownPath } from '../../../compiler/diagnostics/format.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import type { ComparisonOptions, Failing } from '../policies/comparison-options.js';
import { listReads } from '../policies/read-changes.js';
import { engineOptions } from '../policies/engine-options.js';
import { comparedSets, type ReadSet, readSet, type SetName } from '../policies/compared-sets.js';
import { ProgressLine, formatStep } from '../progress.js';
import { chooseProver } from '../policies/solver.js';
import { choosePaint } from '../report.js';
import { type RunLimit, runLimited } from '../run-limit.js';

/** The command line options of `authzc diff`. */
export interface DiffCommandOptions extends ComparisonOptions {
  /** The folder of the policies in a revision, and of the working tree. */
  readonly dir: string;
  readonly output: 'pretty' | 'list' | 'json' | 'markdown';
  readonly failOn: readonly Failing[];
}

/**
 * `authzc diff`: who may do more or less with one set of policies than with another. Returns the exit code.
 *
 * @param old a folder or revision; or a range of revisions, and then there is no `new_`.
 */
export function diffCommand(
  old: string,
  new_: string | undefined,
  options: DiffCommandOptions,
  context: CommandContext,
): Promise<number> {
  return runLimited(options.timeout, context, (limit) =>
    compared(comparedSets(old, new_, options.dir), options, limit, context),
  );
}

async function compared(
  [oldName, newName]: readonly [SetName, SetName],
  options: DiffCommandOptions,
  limit: RunLimit,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context;
  const begin = performance.now();
  const { dir, output, failOn, kind, action, scope, effort } = options;
  const engine = engineOptions(options, context);
  const progress = new ProgressLine(stderr);
  const reading = { signal: limit.signal, environment: context.env, onStep: progress.show };
  const old = await readSet(oldName, dir, reading);
  const new_ = await readSet(newName, dir, { ...reading, before: old });
  progress.clear();
  const [before, after] = [loadVersion(old.compilation, old.source), loadVersion(new_.compilation, new_.source)];
  if (before === undefined || after === undefined) {
    stderr.write(`${findRefusal(old, 'old:', output, context)}${findRefusal(new_, 'new:', output, context)}`);
    return EXIT.refused;
  }
  const { isOver } = limit;
  const report = await compareVersions(before, after, {
    engine,
    kind,
    action,
    scope,
    effort,
    isOver,
    prover: chooseProver(options),
    listReads: listReads(engine),
    onStep: (part, all) => progress.show(`comparing ${formatStep(part, all, 'kinds and scopes')}`),
  }).finally(() => progress.clear());
  const formatPath = (side: 'old' | 'new', file: string): string =>
    shownPath(file, (side === 'old' ? old : new_).folder);
  const took = stdout.isTTY === true ? performance.now() - begin : undefined;
  switch (output) {
    case 'pretty':
      stdout.write(prettyDiff(report, { pathOf: formatPath, paint: choosePaint(stdout, context), took }));
      break;
    case 'list':
      stdout.write(diffList(report));
      break;
    case 'json':
      stdout.write(diffJson(await addHashes(report, before, after)));
      break;
    case 'markdown':
      stdout.write(markdownDiff(report));
      break;
  }
  if (report.limits.interrupted === true) printMessage(context, 'interrupted');
  return chooseExitCode(report, failOn);
}

/** The exit code for a report (docs/spec/analysis.md#exit-codes). */
export function chooseExitCode(report: DiffResult, failOn: readonly Failing[]): number {
  const isRefuted = report.rows.some((row) =>
    [row.widened, row.narrowed].some((own) => own.answer === '?' && own.reason === 'proof refuted'),
  );
  if (isRefuted) return EXIT.proofRefuted;
  return report.limits.interrupted === true || fails(report, failOn) ? EXIT.failed : EXIT.done;
}

/** The errors of a set; empty if it compiles. */
export function findRefusal(
  { compilation, folder }: ReadSet,
  prefix: 'old:' | 'new:',
  output: 'pretty' | 'list' | 'json' | 'markdown',
  context: CommandContext,
): string {
  const { program, diagnostics } = compilation;
  if (program !== undefined) return '';
  const errors = diagnostics.filter(({ severity, code }) => severity === 'error' || code === 'policy/disabled');
  if (output === 'list') return formatList(errors, { folder, prefix });
  return formatPretty(errors, { folder, prefix, color: isColorful(context.stderr, context) });
}

/** A grant to tenants is a way to be allowed: one that is added widens. */
function fails({ rows, grants, alsoChanged }: DiffResult, failOn: readonly Failing[]): boolean {
  if (alsoChanged.length > 0 && failOn.includes('also-changed')) return true;
  const changed = grants.map(({ change }) => (change === 'added' ? 'widened' : 'narrowed'));
  if (changed.some((direction) => failOn.includes(direction))) return true;
  return rows.some(({ widened, narrowed }) => {
    const undecided = widened.answer === '?' || narrowed.answer === '?';
    return (
      (failOn.includes('widened') && widened.answer === 'yes') ||
      (failOn.includes('narrowed') && narrowed.answer === 'yes') ||
      (failOn.includes('undecided') && undecided)
    );
  });
}
