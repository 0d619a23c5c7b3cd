import { parseTimestamp } from '../../cel/runtime/index.js';
import { type Bound, replayLogs } from '../../analysis/replay/replay.js';
import type { Change, ReplayReport } from '../../analysis/replay/report.js';
import { replayJson } from '../../analysis/replay/report/json.js';
import { prettyReplay } from '../../analysis/replay/report/pretty.js';
import { linesOfLog } from '../audit/log-lines.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { readSet, setNamed } from '../policies/compared-sets.js';
import { acceptCompilation, loadPolicies } from '../policies/compile.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import { type OnRefused, readTenants, TENANTS_WITHOUT_EFFECT, warnOfRefusal } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { ProgressLine } from '../progress.js';
import { InputError, choosePaint, printWarning } from '../report.js';

/** The command line options of `authzc replay`. */
export interface ReplayCommandOptions extends EngineFlags, TenantsOption {
  /** The folder of the policies, or a git revision. */
  readonly against: string;
  readonly kind?: string;
  readonly action?: string;
  /** RFC 3339. */
  readonly since?: string;
  readonly until?: string;
  readonly examples: number;
  /** Whether to list the facts by which each decision is made. */
  readonly least?: boolean;
  readonly failOn: readonly Change[];
  readonly output: 'pretty' | 'json';
}

/** The folder of the policies in a revision that is named without a path. */
const POLICIES = 'policies';

/** `authzc replay`: decides the requests of audit logs with other policies. Returns the exit code. */
export async function replayCommand(
  logs: readonly string[],
  options: ReplayCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, env } = context;
  const onRefused: OnRefused = (tenant, error) => warnOfRefusal(context, tenant, error);
  const { against, kind, action, examples, least = false, failOn, output } = options;
  const since = parseBound('--since', options.since);
  const until = parseBound('--until', options.until);
  const engine = decidingOptions(options, context);
  const tenants = options.tenants === undefined ? undefined : readTenants(options.tenants, onRefused);
  const progress = new ProgressLine(stderr);
  const { signal } = new AbortController();
  const { compilation, folder } = await readSet(setNamed(against), POLICIES, {
    signal,
    environment: env,
    onStep: progress.show,
  });
  progress.clear();
  const accepted = acceptCompilation(compilation, folder, context);
  if (accepted === undefined) return EXIT.refused;
  const { policies, traced } = await loadPolicies(accepted, folder);
  if (tenants !== undefined && policies.tenantRoles === undefined) printWarning(context, TENANTS_WITHOUT_EFFECT);
  const read = logs.map((name) => ({ name, lines: linesOfLog(name, context) }));
  const report = await replayLogs(read, policies, {
    program: accepted.lowered,
    engine: { ...engine, ...(engine.strictEvaluation && { traced: await traced() }) },
    tenants,
    onRefused,
    kind,
    action,
    since,
    until,
    examples,
    least,
    onStep: (lines) => progress.show(`${lines.toLocaleString('en-US')} lines read`),
  }).finally(() => progress.clear());
  requireEntries(report);
  stdout.write(output === 'json' ? replayJson(report) : prettyReplay(report, choosePaint(stdout, context)));
  return failOn.some((change) => report.decisions[change] > 0) ? EXIT.failed : EXIT.done;
}

/** Throws an InputError for logs that were read and hold no decision that is asked for. */
function requireEntries({ logs, lines, only, decisions, notReplayed, needs }: ReplayReport): void {
  requireDecisions({ logs, lines, only });
  const { kind, action } = only;
  const asked = [
    kind === undefined ? [] : `kind \`${kind}\``,
    action === undefined ? [] : `action \`${action}\``,
  ].flat();
  if (asked.length === 0 || decisions.replayed > 0 || needs.decisions > 0) return;
  if (Object.values(notReplayed).some((count) => count > 0)) return;
  throw new InputError(`the audit log has no decision about ${asked.join(' and ')}`, undefined, [], listPaths(logs));
}

function requireDecisions({ logs, lines, only }: Pick<ReplayReport, 'logs' | 'lines' | 'only'>): void {
  const { decisionEntries, accessEntries, damaged } = lines;
  if (decisionEntries > 0) return;
  const isNarrowed = only.since !== undefined || only.until !== undefined;
  const others = [...(accessEntries > 0 ? ['access entries'] : []), ...(damaged > 0 ? ['damaged lines'] : [])];
  throw new InputError(
    `the audit log has no decision entries${isNarrowed ? ' of that time' : ''}`,
    undefined,
    [
      ...(others.length === 0 ? [] : [{ message: `it has ${others.join(' and ')}` }]),
      {
        message:
          'servers write them with `audit.backend: file` or `local`; `authzc audit --kind decision --raw` prints those of a running server',
      },
    ],
    listPaths(logs),
  );
}

function listPaths(logs: readonly string[]): string {
  return logs.map((log) => (log === '-' ? 'standard input' : log)).join(', ');
}

/** Throws an InputError for the value of a flag that is not RFC 3339. */
function parseBound(flag: string, text: string | undefined): Bound | undefined {
  if (text === undefined) return undefined;
  const time = parseTimestamp(text);
  if (time === undefined)
    throw new InputError(`\`${text}\` is not a time`, undefined, [{ message: 'write 2025-01-31T00:00:00Z' }], flag);
  return { text, instant: { seconds: time.seconds, nanos: time.nanos, offset: 0 } };
}
