import type {
  CaseResult,
  Details,
  ProducedOutput,
  SuiteResult,
  Summary,
  TestResults,
  UnmetOutput,
} from '../results.js';
import { nameOutcome } from './json.js';
import { sortedKeys } from './sorted-keys.js';
import { type Content, cdata, element, xmlDocument } from './xml.js';

/** The report as JUnit XML, for CI systems (docs/spec/server.md#test-results). */
export function junitReport({ suites, summary }: TestResults, { verbose }: { readonly verbose: boolean }): string {
  const skippedSuites = suites.filter(isSkippedSuite).length;
  return xmlDocument(
    element(
      'testsuites',
      makeAttributes(summary, { errors: suites.filter(hasError).length, skipped: skippedSuites }),
      suites.map((suite) => makeSuite(suite, verbose)),
    ),
  );
}

function isSkippedSuite({ summary, cases }: SuiteResult): boolean {
  return summary.overall === 'skipped' && cases.length === 0;
}

function hasError({ error }: SuiteResult): boolean {
  return error !== undefined;
}

/** A suite that is in error or skipped as a whole counts as one. */
function makeAttributes(
  { counts, count }: Summary,
  whole: { readonly errors: number; readonly skipped: number },
): Readonly<Record<string, string>> {
  return {
    errors: String((counts.get('errored') ?? 0) + whole.errors),
    failures: String(counts.get('failed') ?? 0),
    skipped: String((counts.get('skipped') ?? 0) + whole.skipped),
    tests: String(count),
  };
}

function makeSuite(suite: SuiteResult, verbose: boolean): Content {
  const { name, file, description, summary, error, skipReason, cases } = suite;
  const skipped = isSkippedSuite(suite);
  const whole = makeAttributes(summary, { errors: error === undefined ? 0 : 1, skipped: skipped ? 1 : 0 });
  return element('testsuite', { ...(description !== '' && { description }), name, file, ...whole }, [
    ...(error === undefined ? [] : [element('error', { type: nameOutcome('errored') }, [error])]),
    ...(skipped && verbose
      ? [element('skipped', { message: 'This test suite was skipped' }, skipReason === '' ? [] : [skipReason])]
      : []),
    ...cases.filter(({ details }) => details.kind !== 'skipped' || !details.filtered).map((own) => makeCase(own, file)),
  ]);
}

function makeCase({ test, principal, resource, action, details }: CaseResult, file: string): Content {
  return element('testcase', { file, classname: `${principal}.${resource}.${action}`, name: test }, [
    makeOutcome(details),
    element('properties', {}, [
      property('principal', principal),
      property('resource', resource),
      property('action', action),
    ]),
  ]);
}

function property(name: string, value: string): Content {
  return element('property', { name, value }, []);
}

function makeOutcome(details: Details): Content {
  const type = nameOutcome(details.kind);
  switch (details.kind) {
    case 'passed':
      return element('success', { type }, [
        element('actual', {}, [details.effect]),
        element('expected', {}, [details.effect]),
        ...makeOutputs(details.outputs.map(producedOutput)),
      ]);
    case 'failed': {
      const message =
        details.outputs.length === 0 ? 'Effect expectation unsatisfied' : 'Output expectation unsatisfied';
      const outputs = makeOutputs(details.outputs.map(unmetOutput));
      return element('failure', { type, message }, [
        ...outputs,
        element('actual', {}, [details.actual]),
        element('expected', {}, [details.expected]),
      ]);
    }
    case 'errored':
      return element('error', { type }, [details.error]);
    case 'skipped':
      return element('skipped', { message: 'This test was skipped' }, details.reason === '' ? [] : [details.reason]);
  }
}

function makeOutputs(outputs: readonly Content[]): readonly Content[] {
  return outputs.length === 0 ? [] : [element('outputs', {}, outputs)];
}

function producedOutput(output: ProducedOutput): Content {
  return element('output', { src: output.src }, [
    element('actual', {}, ['val' in output ? json(output.val) : output.error]),
  ]);
}

function unmetOutput(output: UnmetOutput): Content {
  const expected = output.expected === undefined ? [] : [element('expected', {}, [json(output.expected)])];
  switch (output.kind) {
    case 'missing':
      return element('output', { src: output.src }, expected);
    case 'mismatched':
      return element('output', { src: output.src }, [...expected, element('actual', {}, [json(output.actual)])]);
    case 'errored':
      return element('output', { src: output.src }, [...expected, element('error', {}, [output.error])]);
  }
}

function json(value: unknown): Content {
  return cdata(JSON.stringify(sortedKeys(value)));
}
