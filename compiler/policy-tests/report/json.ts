import type { CaseResult, Details, SuiteResult, Summary, TestResults, UnmetOutput } from '../results.js';
import { OUTCOMES, type Outcome } from '../results.js';
import { nested } from './nested.js';

/** The report as data (docs/spec/server.md#test-results): empty fields are left out. */
export function jsonReport({ suites, summary }: TestResults): object {
  return { ...(suites.length > 0 && { suites: suites.map(suiteOf) }), summary: summaryJson(summary) };
}

function suiteOf({ file, name, summary, error, cases, description, skipReason }: SuiteResult): object {
  return {
    file,
    name,
    summary: summaryJson(summary),
    ...(error !== undefined && { error }),
    ...(cases.length > 0 && { testCases: nested(cases, ({ test }) => test, testOf) }),
    ...(description !== '' && { description }),
    ...(skipReason !== '' && { skipReason }),
  };
}

function testOf(name: string, cases: readonly CaseResult[]): object {
  return { name, principals: nested(cases, ({ principal }) => principal, principalOf) };
}

function principalOf(name: string, cases: readonly CaseResult[]): object {
  return { name, resources: nested(cases, ({ resource }) => resource, resourceOf) };
}

function resourceOf(name: string, cases: readonly CaseResult[]): object {
  return {
    name,
    actions: cases.map(({ action, details, trace }) => ({
      name: action,
      details: { ...detailsOf(details), ...(trace !== undefined && { trace }) },
    })),
  };
}

function detailsOf(details: Details): object {
  const result = nameOf(details.kind);
  switch (details.kind) {
    case 'passed':
      return {
        result,
        success: { effect: details.effect, ...(details.outputs.length > 0 && { outputs: details.outputs }) },
      };
    case 'failed': {
      const { expected, actual, outputs, explanation } = details;
      const failure = { expected, actual, ...(outputs.length > 0 && { outputs: outputs.map(unmetOf) }) };
      return { result, failure, ...(explanation !== undefined && { explanation: explanation.data }) };
    }
    case 'errored':
      return { result, error: details.error };
    case 'skipped':
      return { result, skipReason: details.reason };
  }
}

function unmetOf(output: UnmetOutput): object {
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

function summaryJson({ overall, count, counts }: Summary): object {
  const present = OUTCOMES.filter((outcome) => (counts.get(outcome) ?? 0) > 0);
  return {
    ...(overall !== undefined && { overallResult: nameOf(overall) }),
    ...(count > 0 && { testsCount: count }),
    ...(present.length > 0 && {
      resultCounts: present.map((outcome) => ({ result: nameOf(outcome), count: counts.get(outcome) })),
    }),
  };
}

/** `RESULT_PASSED` */
export function nameOf(outcome: Outcome): string {
  return `RESULT_${outcome.toUpperCase()}`;
}
