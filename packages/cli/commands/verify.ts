import { loadVersion } from '../../analysis/decision/policy-version.js';
import { verifyStatements } from '../../analysis/verify/verify.js';
import type { VerifyReport } from '../../analysis/verify/report.js';
import { verifyJson } from '../../analysis/verify/report/json.js';
import { verifyList } from '../../analysis/verify/report/list.js';
import { markdownVerification } from '../../analysis/verify/report/markdown.js';
import { prettyVerification } from '../../analysis/verify/report/pretty.js';
import { isProofRefuted } from '../../analysis/verify/report/statements.js';
import { formatList, formatPretty, shownPath } from '../../../compiler/diagnostics/format.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import type { ComparisonOptions } from '../policies/comparison-options.js';
import { compileFolder, decidesNothing } from '../policies/compile.js';
import { emptyText } from '../policies/empty-folder.js';
import { engineOptions } from '../policies/engine-options.js';
import { ProgressLine, formatStep } from '../progress.js';
import { chooseProver } from '../policies/solver.js';
import { choosePaint, printDiagnostics } from '../report.js';
import { isLogFormat, type LogFormat, type OnFindings, printLog } from '../findings/log.js';
import { STATEMENT_RULES, statementFindings } from '../findings/statements.js';
import { type RunLimit, runLimited } from '../run-limit.js';

/** The command line options of `authzc verify`. */
export interface VerifyCommandOptions extends ComparisonOptions {
  readonly output: 'pretty' | 'list' | 'json' | 'markdown' | LogFormat;
  /** Whether statements that are not decided are no failure. */
  readonly allowUndecided?: boolean;
  /** Takes the findings of a log in place of standard output. */
  readonly onFindings?: OnFindings | undefined;
}

/** `authzc verify`: proves or refutes the statements of invariants about a folder of policies. Returns the exit code. */
export function verifyCommand(
  directory: string,
  options: VerifyCommandOptions,
  context: CommandContext,
): Promise<number> {
  return runLimited(options.timeout, context, (limit) => verified(directory, options, limit, context));
}

async function verified(
  directory: string,
  options: VerifyCommandOptions,
  { isOver }: RunLimit,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context;
  const { output, kind, action, scope, effort, allowUndecided = false, onFindings } = options;
  const engine = engineOptions(options, context);
  const progress = new ProgressLine(stderr);
  const compilation = compileFolder(directory, { onStep: progress.show });
  progress.clear();
  const { invariants, diagnostics } = compilation;
  const version = loadVersion(compilation, directory);
  if (version === undefined) {
    const style = { color: isColorful(stderr, context), folder: directory };
    if (isLogFormat(output)) printDiagnostics(diagnostics, output, { folder: directory, onFindings }, context);
    else stderr.write(output === 'list' ? formatList(diagnostics, style) : formatPretty(diagnostics, style));
    return EXIT.refused;
  }
  if (decidesNothing(compilation))
    throw new Error(`${emptyText(directory, compilation)}: name the folder of the policies`);
  if (invariants.length === 0)
    throw new Error(`\`${directory}\` has no \`invariants\`: write a document with statements to verify`);
  const report = await verifyStatements(version, invariants, {
    engine,
    kind,
    action,
    scope,
    effort,
    isOver,
    prover: chooseProver(options),
    onStep: (statement, all) => progress.show(`verifying ${formatStep(statement, all, 'statements')}`),
  }).finally(() => progress.clear());
  if (isLogFormat(output))
    printLog(output, statementFindings(report, directory, compilation.sources), STATEMENT_RULES, {
      stdout,
      onFindings,
    });
  else stdout.write(formatReport(report, output, directory, context));
  if (report.limits.interrupted === true) printMessage(context, 'interrupted');
  return chooseExitCode(report, allowUndecided);
}

/** The exit code for a report (docs/spec/analysis.md#exit-codes). */
export function chooseExitCode({ statements, summary, limits }: VerifyReport, allowsUndecided: boolean): number {
  if (statements.some(({ rows }) => rows.some(isProofRefuted))) return EXIT.proofRefuted;
  const { refuted, undecided } = summary;
  const isFailure = limits.interrupted === true || refuted > 0 || (undecided > 0 && !allowsUndecided);
  return isFailure ? EXIT.failed : EXIT.done;
}

function formatReport(
  report: VerifyReport,
  output: Exclude<VerifyCommandOptions['output'], LogFormat>,
  directory: string,
  context: CommandContext,
): string {
  switch (output) {
    case 'pretty':
      return prettyVerification(report, {
        paint: choosePaint(context.stdout, context),
        pathOf: (file) => shownPath(file, directory),
      });
    case 'list':
      return verifyList(report);
    case 'json':
      return verifyJson(report);
    case 'markdown':
      return markdownVerification(report);
  }
}
