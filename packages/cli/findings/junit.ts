import { resolve } from 'node:path';
import { cdata, element, type XmlElement, xmlDocument } from '../../policy-tests/report/xml.js';
import { type Finding, visibleLines } from './finding.js';
import { pathInRepository, findRepository } from './repository.js';

/** The findings of a part of a run, which is a test suite. */
export interface FindingSuite {
  readonly name: string;
  readonly findings: readonly Finding[];
  /** Whether the part was not run. */
  readonly isSkipped?: boolean;
}

/**
 * Findings as JUnit XML: a suite for each part, with a test case for each, which fails for an error and has the text of a warning as its output. One
 * case passes if there are none, for CI systems that take an empty report for a mistake.
 */
export function junitLog(suites: readonly FindingSuite[]): string {
  const root = findRepository(resolve());
  const counts = {
    tests: String(suites.reduce((sum, { findings }) => sum + Math.max(findings.length, 1), 0)),
    failures: String(suites.reduce((sum, { findings }) => sum + countFailures(findings), 0)),
  };
  const elements = suites.map((suite) => suiteElement(suite, root));
  return xmlDocument(element('testsuites', counts, elements));
}

function countFailures(findings: readonly Finding[]): number {
  return findings.filter(({ level }) => level === 'error').length;
}

function suiteElement({ name, findings, isSkipped = false }: FindingSuite, root: string): XmlElement {
  const counts = {
    tests: String(Math.max(findings.length, 1)),
    failures: String(countFailures(findings)),
    ...(isSkipped && { skipped: '1' }),
  };
  const cases = findings.map(({ rule, level, message, location: { path, region } }) => {
    const file = pathInRepository(path, root);
    const text = visibleLines(message);
    const [title = ''] = text.split('\n');
    const place = region === undefined ? file : `${file}:${region.startLine}:${region.startColumn}`;
    return element('testcase', { name: `${place} ${title}`, classname: rule, file }, [
      level === 'error'
        ? element('failure', { type: rule, message: title }, [cdata(text)])
        : element('system-out', {}, [cdata(text)]),
    ]);
  });
  const passed = element(
    'testcase',
    { name: 'no problems', classname: 'authzc' },
    isSkipped ? [element('skipped', {}, [])] : [],
  );
  return element('testsuite', { name, ...counts }, cases.length === 0 ? [passed] : cases);
}
