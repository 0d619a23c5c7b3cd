import { resolve } from 'node:path';
import { cdata, element, xmlDocument } from '../../compiler/policy-tests/report/xml.js';
import { type Finding, visibleLines } from './finding.js';
import { pathInRepository, repositoryOf } from './repository.js';

/**
 * Findings as JUnit XML: a test case for each, which fails for an error and has the text of a warning as its output. One
 * case passes if there are none, for CI systems that take an empty report for a mistake.
 */
export function junitLog(findings: readonly Finding[]): string {
  const root = repositoryOf(resolve());
  const counts = {
    tests: String(Math.max(findings.length, 1)),
    failures: String(findings.filter(({ level }) => level === 'error').length),
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
  const passed = element('testcase', { name: 'no problems', classname: 'authzc' }, []);
  const suite = element('testsuite', { name: 'authzc', ...counts }, cases.length === 0 ? [passed] : cases);
  return xmlDocument(element('testsuites', counts, [suite]));
}
