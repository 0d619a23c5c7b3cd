import { visibleJson } from '../../../../compiler/diagnostics/visible.js';
import type { DiffReport } from '../report.js';

/** A report for programs. Paths are those below the folders of the policies. */
export function diffJson(report: DiffReport): string {
  return `${visibleJson(report, 2)}\n`;
}
