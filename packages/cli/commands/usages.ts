import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import { formatFrame } from '../../../compiler/diagnostics/frame.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { load } from '../../../compiler/load/index.js';
import { parse } from '../../../compiler/parse/index.js';
import { policyWords, type PolicyWord } from '../../usages/policy-words.js';
import { findUsages, type Usages } from '../../usages/usages.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT } from '../exit.js';
import { isLogFormat, type LogFormat, printLog } from '../findings/log.js';
import { locate, type LocatedProblem, findSpan, USAGE_RULES, usageFindings } from '../findings/usages.js';
import { readVocabulary } from '../policies/vocabulary.js';
import { choosePaint } from '../report.js';
import { counted } from './compile.js';

/** The command line options of `authzc usages`. */
export interface UsagesOptions {
  /** The folder of the policies. */
  readonly policies: string;
  readonly output: 'pretty' | 'list' | 'json' | LogFormat;
  readonly failOn: 'error' | 'warning' | 'none';
}

/**
 * `authzc usages`: compares what an application asks with what its policies name, and lists routes without a guard.
 * Returns the exit code: 1 for a problem of the severity of `--fail-on`, 3 if the policies cannot be read.
 */
export async function usagesCommand(
  directory: string,
  { policies, output, failOn }: UsagesOptions,
  context: CommandContext,
): Promise<number> {
  const words = readWords(policies, context);
  if (words === undefined) return EXIT.refused;
  const usages = await findUsages(directory, words, readVocabulary());
  const problems = usages.problems.map((problem) => locate(problem, policies)).sort(byPlace);
  if (isLogFormat(output)) printLog(output, usageFindings(problems), USAGE_RULES, context);
  else
    context.stdout.write(
      output === 'json' ? formatJson(usages, problems) : formatUsages(usages, problems, output, context),
    );
  const failing = failOn === 'none' ? [] : failOn === 'warning' ? ['error', 'warning'] : ['error'];
  return problems.some(({ level }) => failing.includes(level)) ? EXIT.failed : EXIT.done;
}

/** The words of policies, which need not compile; undefined if a file cannot be read as one, after saying why. */
function readWords(folder: string, context: CommandContext): readonly PolicyWord[] | undefined {
  const report = new Diagnostics();
  const files = load(folder, report).sources.flatMap((source) => parse(source, report) ?? []);
  if (report.hasErrors) {
    const { stderr } = context;
    stderr.write(formatPretty(report.sorted(), { color: isColorful(stderr, context), folder }));
    return undefined;
  }
  const words = policyWords(files);
  if (words.length === 0) throw new Error(`${folder} has no policies with rules: name the folder with --policies`);
  return words;
}

const SEVERITIES = ['error', 'warning', 'note'];

function byPlace(one: LocatedProblem, other: LocatedProblem): number {
  const severity = SEVERITIES.indexOf(one.level) - SEVERITIES.indexOf(other.level);
  return severity || (one.path < other.path ? -1 : one.path > other.path ? 1 : one.span.start - other.span.start);
}

function formatUsages(
  usages: Usages,
  problems: readonly LocatedProblem[],
  output: 'pretty' | 'list',
  context: CommandContext,
): string {
  const paint = choosePaint(context.stdout, context);
  const lines = problems.flatMap(({ rule, level, message, path, span }) => {
    const { line, column } = span.source.lineAndColumn(span.start);
    const severity = level === 'note' ? paint.strong(`note[${rule}]`) : paint.severity(level, `${level}[${rule}]`);
    const head = `${visible(path)}:${line}:${column}: ${severity}: ${visible(message)}`;
    return output === 'list' ? [head] : [head, ...formatFrame(span, paint), ''];
  });
  return [...lines, formatSummary(usages), ''].join('\n');
}

function formatSummary({ asks, routes }: Usages): string {
  const kinds = new Set(asks.flatMap(({ kind }) => kind ?? []));
  const pairs = new Set(
    asks.flatMap(({ kind, action }) =>
      kind === undefined || action === undefined ? [] : JSON.stringify([kind, action]),
    ),
  );
  const asked = `${counted(pairs.size, 'action')} of ${counted(kinds.size, 'kind')} asked`;
  if (routes.length === 0) return asked;
  const guarded = routes.filter(({ guard }) => guard === 'guarded').length;
  const open = routes.filter(({ guard }) => guard === 'public').length;
  return `${asked}; ${counted(routes.length, 'route')}: ${guarded} guarded, ${open} public, ${routes.length - guarded - open} without a guard`;
}

function formatJson({ asks, routes }: Usages, problems: readonly LocatedProblem[]): string {
  const report = {
    asks: asks.map(({ kind, action, call, actionNode, kindNode }) => ({
      kind: kind ?? null,
      action: action ?? null,
      ...toReportedPlace(findSpan(kind === undefined ? kindNode : actionNode)),
      call: toReportedPlace(findSpan(call)),
    })),
    routes: routes.map(({ framework, method, path, guard, node }) => ({
      framework,
      method,
      path,
      guard,
      ...toReportedPlace(findSpan(node)),
    })),
    problems: problems.map(({ rule, level, message, ...place }) => ({
      rule,
      level,
      message,
      ...toReportedPlace(place),
    })),
  };
  return `${visibleJson(report, 2)}\n`;
}

function toReportedPlace({ path, span }: Pick<LocatedProblem, 'path' | 'span'>): object {
  return { file: path, ...span.source.lineAndColumn(span.start) };
}
