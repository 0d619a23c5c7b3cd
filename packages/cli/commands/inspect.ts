import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import { formatInspected, type InspectFormat } from '../../../compiler/inspect/format.js';
import { inspect, type Pattern, parsePattern, select } from '../../../compiler/inspect/inspect.js';
import { load } from '../../../compiler/load/index.js';
import { parse } from '../../../compiler/parse/index.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT, choosePrefix } from '../exit.js';
import { formatInputError, InputError } from '../report.js';

/** The command line options of `authzc inspect`. */
export interface InspectOptions {
  readonly nameRegexp?: string;
  readonly versionRegexp?: string;
  readonly scopeRegexp?: string;
  readonly includeDisabled?: boolean;
  /** False with `--no-headers`. */
  readonly headers: boolean;
  readonly output: InspectFormat;
}

/**
 * `authzc inspect`: what the policies of a folder mention (docs/spec/server.md#inspect), which need not compile.
 * Returns the exit code: 1 when an id names no policy, 3 when a file cannot be read as a policy, which is said on
 * standard error.
 */
export function inspectCommand(
  directory: string,
  ids: readonly string[],
  { nameRegexp, versionRegexp, scopeRegexp, includeDisabled = false, headers, output }: InspectOptions,
  context: CommandContext,
): number {
  const { stdout, stderr } = context;
  const name = requirePattern('--name-regexp', nameRegexp);
  const version = requirePattern('--version-regexp', versionRegexp);
  const scope = requirePattern('--scope-regexp', scopeRegexp);
  const report = new Diagnostics();
  const files = load(directory, report).sources.flatMap((source) => parse(source, report) ?? []);
  if (report.hasErrors) {
    stderr.write(formatPretty(report.sorted(), { color: isColorful(stderr, context), folder: directory }));
    return EXIT.refused;
  }
  const policies = inspect(files);
  const { selected, unknown } = select(policies, { ids, includeDisabled, name, version, scope });
  if (selected.length > 0 || unknown.length === 0) stdout.write(formatInspected(selected, output, { headers }));
  for (const id of unknown)
    printUnknownId(
      id,
      policies.map(({ policyId }) => policyId),
      context,
    );
  return unknown.length === 0 ? EXIT.done : EXIT.failed;
}

function requirePattern(option: string, text: string | undefined): Pattern | undefined {
  if (text === undefined) return undefined;
  const pattern = parsePattern(text);
  if ('problem' in pattern)
    throw new InputError(`\`${text}\` is not a regular expression: ${pattern.problem}`, undefined, [], option);
  return pattern;
}

/** A disabled policy has an id, but is only shown on request. */
function printUnknownId(id: string, known: readonly string[], context: CommandContext): void {
  const notes = known.includes(id)
    ? [{ message: 'it is disabled; use `--include-disabled` to show it' }]
    : didYouMean(id, known);
  const { stderr } = context;
  const error = new InputError(`there is no policy \`${id}\``, undefined, notes);
  stderr.write(formatInputError(error, { color: isColorful(stderr, context), prefix: choosePrefix(context) }));
}
