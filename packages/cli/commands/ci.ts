import { join } from 'node:path';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import type { Finding, FindingRule } from '../findings/finding.js';
import { type FindingSuite, junitLog } from '../findings/junit.js';
import { findingLog, type LogFormat, type OnFindings } from '../findings/log.js';
import { compileFolder } from '../policies/compile.js';
import type { TableOptions } from '../policies/table-options.js';
import { compileCommand } from './compile.js';
import { fmtCommand } from './fmt.js';
import { checkRowSecurity } from './rls.js';
import { testCommand } from './test.js';
import { verifyCommand } from './verify.js';

/** The command line options of `authzc ci`. */
export interface CiOptions extends TableOptions {
  readonly out: string;
  readonly output: 'pretty' | LogFormat;
  readonly failOn: 'error' | 'warning';
  readonly strictTypes?: boolean;
  /** The script of `authzc rls`. */
  readonly rls?: string;
}

/** A check, and whether it can be made. Undefined stands for one that the policies give no reason for. */
interface Step {
  readonly name: string;
  /** @param onFindings takes the problems if they are not printed for people. */
  readonly run: (onFindings: OnFindings | undefined) => Promise<number | undefined> | number | undefined;
}

/**
 * `authzc ci`: all that must hold before a change of policies lands, and a line for each at the end. Writes nothing.
 * Returns the highest exit code of the checks.
 */
export async function ciCommand(directory: string, options: CiOptions, context: CommandContext): Promise<number> {
  if (options.rls !== undefined && options.table === undefined)
    throw new UsageError('--rls needs --table: the tables that the script is about');
  const outcomes: { readonly name: string; readonly code: number | undefined }[] = [];
  const suites: FindingSuite[] = [];
  const rules = new Map<string, FindingRule>([[FAILED.id, FAILED]]);
  for (const { name, run } of listSteps(directory, options, context)) {
    const findings: Finding[] = [];
    const onFindings: OnFindings = (found, known) => {
      findings.push(...found);
      for (const rule of known) rules.set(rule.id, rule);
    };
    const code = await run(options.output === 'pretty' ? undefined : onFindings);
    if (code !== undefined && code !== EXIT.done && findings.every(({ level }) => level !== 'error'))
      findings.push(makeFailure(name, directory));
    outcomes.push({ name, code });
    suites.push({ name, findings, isSkipped: code === undefined });
  }
  if (options.output !== 'pretty') context.stdout.write(formatDocument(options.output, suites, [...rules.values()]));
  for (const { name, code } of outcomes) printNote(context, `${STATES[String(code)] ?? 'FAILED '} ${name}`);
  return Math.max(...outcomes.map(({ code = EXIT.done }) => code));
}

const STATES: Readonly<Record<string, string>> = { [EXIT.done]: 'ok     ', undefined: 'nothing' };

/** The rule of a check that fails without an error in a file, so that no document passes when the command does not. */
const FAILED: FindingRule = {
  id: 'ci/failed',
  level: 'error',
  help: 'A check of `authzc ci` failed for a reason that has no location in a file. See standard error.',
};

function makeFailure(name: string, directory: string): Finding {
  return {
    rule: FAILED.id,
    level: FAILED.level,
    message: `failed: ${name}`,
    location: { path: join(directory, '/') },
  };
}

/** One document for all checks; a JUnit document has a suite for each. */
function formatDocument(format: LogFormat, suites: readonly FindingSuite[], rules: readonly FindingRule[]): string {
  if (format === 'junit') return junitLog(suites);
  return findingLog(format, distinct(suites.flatMap(({ findings }) => findings)), rules);
}

/** Drops what an earlier check found: several read the same files. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byIdentity = new Map<string, Finding>();
  for (const finding of findings) {
    const { rule, message, location } = finding;
    const identity = JSON.stringify([rule, message, location.path, location.region]);
    if (!byIdentity.has(identity)) byIdentity.set(identity, finding);
  }
  return [...byIdentity.values()];
}

function listSteps(directory: string, options: CiOptions, context: CommandContext): readonly Step[] {
  const isPretty = options.output === 'pretty';
  // Findings are handed over, so any format of logs does.
  const output = isPretty ? 'pretty' : 'sarif';
  const compiled = {
    ...options,
    output,
    bundle: 'dist/policies.js',
    emit: true,
    check: true,
    skipTests: true,
  } as const;
  let isCompiled = false;
  return [
    {
      name: 'the policies are formatted',
      run: (onFindings) =>
        fmtCommand([directory], { check: true, output: isPretty ? 'list' : 'sarif', onFindings }, context),
    },
    {
      name: `the policies compile, and ${options.out} is up to date`,
      run: async (onFindings) => {
        const code = await compileCommand(directory, { ...compiled, onFindings }, context);
        isCompiled = code !== EXIT.refused;
        return code;
      },
    },
    {
      name: 'the tests pass',
      run: (onFindings) =>
        isCompiled
          ? testCommand(
              directory,
              { output: isPretty ? 'tree' : 'sarif', passWithNoTests: true, color: true, onFindings },
              context,
            )
          : undefined,
    },
    ...(options.table === undefined ? [] : [rowSecurityStep(directory, options.table, options.rls, context)]),
    {
      name: 'the invariants hold',
      run: (onFindings) =>
        isCompiled && compileFolder(directory).invariants.length > 0
          ? verifyCommand(directory, { output, effort: 3, timeout: 60_000, onFindings }, context)
          : undefined,
    },
  ];
}

function rowSecurityStep(directory: string, table: string, script: string | undefined, context: CommandContext): Step {
  return {
    name: script === undefined ? 'row level security can be written' : `row level security is up to date in ${script}`,
    run: () => checkRowSecurity(directory, table, script, context),
  };
}
