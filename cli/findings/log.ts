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
      return junitLog(findings);
  }
}
