import { visibleJson } from '../../../../compiler/diagnostics/visible.js';
import type { ReplayReport } from '../report.js';

/** A report for programs. */
export function replayJson(report: ReplayReport): string {
  return `${visibleJson(report, 2)}\n`;
}
