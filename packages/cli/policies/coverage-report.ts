import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Coverage, toPercent } from '../../analysis/coverage/coverage.js';
import { coverageHtml } from '../../analysis/coverage/report/html.js';
import { coverageLcov } from '../../analysis/coverage/report/lcov.js';
import { coverageText } from '../../analysis/coverage/report/text.js';
import type { CoverageOptions } from './coverage-options.js';

/** Where policies are shown and read from. */
export interface PolicyTexts {
  /** The path of a policy as the reader would open it. */
  readonly pathOf: (file: string) => string;
  readonly textOf: (file: string) => string;
}

/** Writes the files of a report, and returns the text to print. */
export function reportCoverage(
  coverage: Coverage,
  { coverageOutput = ['text'], coverageDir = 'coverage' }: CoverageOptions,
  { pathOf, textOf }: PolicyTexts,
): string {
  let printed = '';
  const write = (name: string, text: string): void => {
    mkdirSync(coverageDir, { recursive: true });
    writeFileSync(join(coverageDir, name), text);
  };
  for (const format of new Set(coverageOutput)) {
    switch (format) {
      case 'text':
        printed = coverageText(coverage, pathOf);
        break;
      case 'json':
        write('coverage.json', `${JSON.stringify(coverage, undefined, 2)}\n`);
        break;
      case 'lcov':
        write('lcov.info', coverageLcov(coverage, pathOf));
        break;
      case 'html':
        write('index.html', coverageHtml(coverage, pathOf, textOf));
        break;
    }
  }
  return printed;
}

/** The thresholds that a result misses, as lines. */
export function missedThresholds(
  { total: { rules, clauses, mcdc } }: Coverage,
  { minCoverage = 0, minMcdc = 0 }: CoverageOptions,
): readonly string[] {
  const results = [
    ['rules', toPercent(rules), minCoverage],
    ['clauses', toPercent(clauses), minCoverage],
    ['MC/DC', toPercent(mcdc), minMcdc],
  ] as const;
  return results
    .filter(([, percent, least]) => percent < least)
    .map(([name, percent, least]) => `coverage of ${name} is ${percent} %, less than ${least} %`);
}
