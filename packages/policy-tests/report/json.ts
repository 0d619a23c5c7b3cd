import type {
  CaseResult,
  Details,
  ProducedOutput,
  SuiteResult,
  Summary,
  TestResults,
  Trace,
  UnmetOutput,
} from '../results.js';
import { OUTCOMES, type Outcome } from '../results.js';
import type { TestEffect } from '../suite.js';
import { nested } from './nested.js';

/** Test results as data (docs/spec/server.md#test-results): empty fields are left out. */
export interface TestReport {
  /** Sorted by file. */
  readonly suites?: readonly SuiteReport[];
  readonly summary: SummaryReport;
}

export interface SuiteReport {
  /** Relative to the folder of the tests. */
  readonly file: string;
  /** `Unknown` if the suite cannot be read. */
  readonly name: string;
  readonly summary: SummaryReport;
  /** Why the suite could not be run. */
  readonly error?: string;
  readonly testCases?: readonly TestCaseReport[];
  readonly description?: string;
  readonly skipReason?: string;
}

/** A test by the keys of its principals and resources. */
export interface TestCaseReport {
  readonly name: string;
  readonly principals: readonly {
    readonly name: string;
    readonly resources: readonly {
      readonly name: string;
      readonly actions: readonly { readonly name: string; readonly details: DetailsReport }[];
    }[];
  }[];
}

/** The result of a test for one action. */
export interface DetailsReport {
  readonly result: ResultName;
  /** Result of a test that passed. */
  readonly success?: {
    readonly effect: TestEffect;
    readonly outputs?: readonly ProducedOutput[];
    /** The unknown facts that the decision depends on. */
    readonly needs?: readonly string[];
  };
  /** Result of a test that failed. */
  readonly failure?: {
    readonly expected: TestEffect;
    readonly actual: TestEffect;
    readonly outputs?: readonly object[];
    /** The unknown facts that the decision depends on. */
    readonly needs?: readonly string[];
  };
  /** Explanation of a test that failed: what `authzc explain` prints as JSON, without near misses. */
  readonly explanation?: object;
  /** Why the test could not be run. */
  readonly error?: string;
  readonly skipReason?: string;
  readonly trace?: Trace;
}

/** Counts of actions. */
export interface SummaryReport {
  /** The most severe result. */
  readonly overallResult?: ResultName;
  readonly testsCount?: number;
  readonly resultCounts?: readonly { readonly result: ResultName; readonly count: number }[];
}

/** `RESULT_PASSED` */
export type ResultName = `RESULT_${Uppercase<Outcome>}`;

/** The report of test results. */
export function jsonReport({ suites, summary }: TestResults): TestReport {
  return { ...(suites.length > 0 && { suites: suites.map(toSuite) }), summary: summaryJson(summary) };
}

function toSuite({ file, name, summary, error, cases, description, skipReason }: SuiteResult): SuiteReport {
  return {
    file,
    name,
    summary: summaryJson(summary),
    ...(error !== undefined && { error }),
    ...(cases.length > 0 && { testCases: nested(cases, ({ test }) => test, toTest) }),
    ...(description !== '' && { description }),
    ...(skipReason !== '' && { skipReason }),
  };
}

function toTest(name: string, cases: readonly CaseResult[]): TestCaseReport {
  return { name, principals: nested(cases, ({ principal }) => principal, toPrincipal) };
}

function toPrincipal(name: string, cases: readonly CaseResult[]): TestCaseReport['principals'][number] {
  return { name, resources: nested(cases, ({ resource }) => resource, toResource) };
}

function toResource(
  name: string,
  cases: readonly CaseResult[],
): TestCaseReport['principals'][number]['resources'][number] {
  return {
    name,
    actions: cases.map(({ action, details, trace }) => ({
      name: action,
      details: { ...toDetails(details), ...(trace !== undefined && { trace }) },
    })),
  };
}

function toDetails(details: Details): DetailsReport {
  const result = nameOutcome(details.kind);
  switch (details.kind) {
    case 'passed':
      return {
        result,
        success: {
          effect: details.effect,
          ...(details.outputs.length > 0 && { outputs: details.outputs }),
          ...toNeeds(details.needs),
        },
      };
    case 'failed': {
      const { expected, actual, outputs, needs, explanation } = details;
      const failure = {
        expected,
        actual,
        ...(outputs.length > 0 && { outputs: outputs.map(toUnmetOutput) }),
        ...toNeeds(needs),
      };
      return { result, failure, ...(explanation !== undefined && { explanation: explanation.data }) };
    }
    case 'errored':
      return { result, error: details.error };
    case 'skipped':
      return { result, skipReason: details.reason };
  }
}

function toNeeds(needs: readonly string[] = []): { readonly needs?: readonly string[] } {
  return needs.length > 0 ? { needs } : {};
}

function toUnmetOutput(output: UnmetOutput): object {
  const expected = output.expected === undefined ? {} : { expected: output.expected };
  switch (output.kind) {
    case 'missing':
      return { src: output.src, missing: expected };
    case 'mismatched':
      return { src: output.src, mismatched: { ...expected, actual: output.actual } };
    case 'errored':
      return { src: output.src, errored: { ...expected, error: output.error } };
  }
}

function summaryJson({ overall, count, counts }: Summary): SummaryReport {
  const resultCounts = OUTCOMES.flatMap((outcome) => {
    const own = counts.get(outcome) ?? 0;
    return own > 0 ? { result: nameOutcome(outcome), count: own } : [];
  });
  return {
    ...(overall !== undefined && { overallResult: nameOutcome(overall) }),
    ...(count > 0 && { testsCount: count }),
    ...(resultCounts.length > 0 && { resultCounts }),
  };
}

/** `RESULT_PASSED` */
export function nameOutcome(outcome: Outcome): ResultName {
  return `RESULT_${outcome.toUpperCase() as Uppercase<Outcome>}`;
}
