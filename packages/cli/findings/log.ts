import type { CommandContext } from '../context.js';
import type { Finding, FindingRule } from './finding.js';
import { githubLog } from './github.js';
import { junitLog } from './junit.js';
import { sarifLog } from './sarif.js';

/** The formats of findings for programs: code scanning services, GitHub workflows, CI systems. */
export const LOG_FORMATS = ['sarif', 'github', 'junit'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Whether a format of output is one of them. */
export function isLogFormat(format: string): format is LogFormat {
  return (LOG_FORMATS as readonly string[]).includes(format);
}

/** Takes findings that would be printed as a log, and the rules of which they may be. */
export type OnFindings = (findings: readonly Finding[], rules: readonly FindingRule[]) => void;

/** The reader of findings. */
interface LogTarget extends Pick<CommandContext, 'stdout'> {
  /** Takes the findings in place of standard output. */
  readonly onFindings?: OnFindings | undefined;
}

/** Prints a log to standard output, or hands over its findings. */
export function printLog(
  format: LogFormat,
  findings: readonly Finding[],
  rules: readonly FindingRule[],
  { stdout, onFindings }: LogTarget,
): void {
  if (onFindings === undefined) stdout.write(findingLog(format, findings, rules));
  else onFindings(findings, rules);
}

/**
 * Findings in a format, with a final line break if it is not empty.
 *
 * @param rules what may have been found; a SARIF log explains those of its findings.
 */
export function findingLog(format: LogFormat, findings: readonly Finding[], rules: readonly FindingRule[]): string {
  switch (format) {
    case 'sarif':
      return sarifLog(findings, rules);
    case 'github':
      return githubLog(findings);
    case 'junit':
      return junitLog([{ name: 'authzc', findings }]);
  }
}
