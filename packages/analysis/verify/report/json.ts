import { visibleJson } from '../../../../compiler/diagnostics/visible.js';
import type { VerifyReport } from '../report.js';

/** A report for programs. Paths are those below the folder of the policies. */
export function verifyJson(report: VerifyReport): string {
  return `${visibleJson(report, 2)}\n`;
}
