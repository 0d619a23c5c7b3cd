import { visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { TestResults } from '../results.js';
import type { TestFormat } from './formats.js';
import { jsonReport } from './json.js';
import { junitReport } from './junit.js';
import { textReport } from './text.js';

/** The options of a report. */
export interface ReportStyle {
  readonly format: TestFormat;
  /** Whether to include passed tests, and how decisions were made. */
  readonly verbose: boolean;
  readonly color: boolean;
  /** The folder of the tests; the report for people names files relative to the working directory. */
  readonly folder?: string | undefined;
}

/** Formats a report, including its final line break. */
export function formatReport(results: TestResults, { format, verbose, color, folder }: ReportStyle): string {
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
