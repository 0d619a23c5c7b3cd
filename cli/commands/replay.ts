import { parseTimestamp } from '#runtime/cel';
import { type Bound, replayLog } from '../../analysis/replay/replay.js';
import type { Change, ReplayReport } from '../../analysis/replay/report.js';
import { replayJson } from '../../analysis/replay/report/json.js';
import { prettyReplay } from '../../analysis/replay/report/pretty.js';
import { linesOfLog } from '../audit/log-lines.js';
import { allowClosedPipe, EXIT } from '../exit.js';
import { policiesInMemory } from '../policies/compile.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import { InputError, paintOf, reportInputError } from '../report.js';

/** The command line options of `authzc replay`. */
export interface ReplayCommandOptions extends EngineFlags {
  /** The folder of the policies. */
  readonly against: string;
  readonly kind?: string;
  readonly action?: string;
  /** RFC 3339. */
  readonly since?: string;
  readonly until?: string;
  readonly examples: number;
  readonly failOn: readonly Change[];
  readonly output: 'pretty' | 'json';
}

/** `authzc replay`: decides the requests of an audit log with other policies. Returns the exit code. */
export async function replayCommand(log: string, options: ReplayCommandOptions): Promise<number> {
  allowClosedPipe();
  try {
    return await replayed(log, options);
  } catch (error) {
    return reportInputError(error);
  }
}

async function replayed(log: string, options: ReplayCommandOptions): Promise<number> {
  const { against, kind, action, examples, failOn, output } = options;
  const since = boundOf('--since', options.since);
  const until = boundOf('--until', options.until);
  const engine = decidingOptions(options);
  const loaded = await policiesInMemory(against);
  if (loaded === undefined) return EXIT.refused;
  const report = await replayLog(linesOfLog(log), loaded.policies, {
    engine: { ...engine, ...(engine.strictEvaluation && { traced: await loaded.traced() }) },
    kind,
    action,
    since,
    until,
    examples,
  });
  requireEntries(report, log);
  process.stdout.write(output === 'json' ? replayJson(report) : prettyReplay(report, paintOf(process.stdout)));
  return failOn.some((change) => report.decisions[change] > 0) ? EXIT.failed : EXIT.done;
}

/** Throws an InputError for a log that was read and holds no decision. */
function requireEntries({ lines, only }: ReplayReport, log: string): void {
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
          'servers write them with `audit.backend: file`; for other backends, `authzc audit --kind decision --raw` prints them',
      },
    ],
    log === '-' ? 'standard input' : log,
  );
}

/** Throws an InputError for the value of a flag that is not RFC 3339. */
function boundOf(flag: string, text: string | undefined): Bound | undefined {
  if (text === undefined) return undefined;
  const time = parseTimestamp(text);
  if (time === undefined)
    throw new InputError(`\`${text}\` is not a time`, undefined, [{ message: 'write 2025-01-31T00:00:00Z' }], flag);
  return { text, instant: { seconds: time.seconds, nanos: time.nanos, offset: 0 } };
}
