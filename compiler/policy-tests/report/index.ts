import { visibleJson } from '../../diagnostics/visible.js';
import type { TestResults } from '../results.js';
import type { TestFormat } from './formats.js';
import { jsonReport } from './json.js';
import { junitReport } from './junit.js';
import { textReport } from './text.js';

/** How a report is written. */
export interface ReportStyle {
  readonly format: TestFormat;
  /** Whether what passed is shown too, and how decisions came about. */
  readonly verbose: boolean;
  readonly color: boolean;
  /** The folder of the tests, for people: their report names files from the working directory. */
  readonly folder?: string | undefined;
}

/** The text of a report, with its last line break. */
export function reportOf(results: TestResults, { format, verbose, color, folder }: ReportStyle): string {
  switch (format) {
    case 'tree':
    case 'list':
      return textReport(results, { format, verbose, color, folder });
    case 'json':
      return `${visibleJson(jsonReport(results), 2)}\n`;
    case 'junit':
      return junitReport(results, { verbose });
  }
}
