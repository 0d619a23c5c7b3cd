import { element } from '../dom.js';
import { REFUSED } from './decision-view.js';
import type { PlaygroundResult } from './result.js';

type Tests = NonNullable<PlaygroundResult['tests']>;
type Suite = NonNullable<Tests['suites']>[number];

/** The results of the tests: counts, each test, and what went wrong in those that did not pass. */
export function testsView() {
  const node = element('div', { class: 'content' });
  const show = (tests: Tests | undefined, isCompiled: boolean): void => {
    if (tests === undefined)
      node.replaceChildren(
        element(
          'p',
          { class: 'message' },
          isCompiled ? 'There are no tests: add a file such as album_test.yaml.' : REFUSED,
        ),
      );
    else node.replaceChildren(...(tests.suites ?? []).map(suiteNode));
  };
  return { node, show };
}

const RESULTS: { readonly [result: string]: string } = {
  RESULT_PASSED: 'passed',
  RESULT_FAILED: 'failed',
  RESULT_ERRORED: 'could not be run',
  RESULT_SKIPPED: 'skipped',
};

function suiteNode({ name, file, error, summary, testCases = [] }: Suite): HTMLElement {
  const counts = (summary.resultCounts ?? []).map(({ result, count }) => `${count} ${RESULTS[result] ?? result}`);
  const isGood = error === undefined && (summary.overallResult === 'RESULT_PASSED' || counts.length === 0);
  return element(
    'section',
    { class: 'result' },
    element('h3', {}, `${name} `, element('span', { class: 'id' }, file)),
    element('p', { class: `status ${isGood ? 'good' : 'bad'}` }, error ?? (counts.join(', ') || 'no tests')),
    testCases.length === 0
      ? undefined
      : element('ul', { class: 'test-names', 'aria-label': `Tests of ${file}` }, ...testCases.map(testItem)),
    element(
      'ul',
      { class: 'problems', 'aria-label': `Tests of ${file} that did not pass` },
      ...testCases.flatMap(renderFailures),
    ),
  );
}

/** The name of a test, with a mark, and how many decisions it compares. */
function testItem({ name, principals }: NonNullable<Suite['testCases']>[number]): HTMLElement {
  const decisions = principals.flatMap(({ resources }) => resources.flatMap(({ actions }) => actions));
  const isGood = decisions.every(
    ({ details: { result } }) => result === 'RESULT_PASSED' || result === 'RESULT_SKIPPED',
  );
  const count = `${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}`;
  return element(
    'li',
    { class: isGood ? 'good' : 'bad' },
    `${isGood ? '✔' : '✘'} `,
    `${name} `,
    element('span', { class: 'meaning' }, count),
  );
}

function renderFailures(test: NonNullable<Suite['testCases']>[number]): readonly HTMLElement[] {
  return test.principals.flatMap((principal) =>
    principal.resources.flatMap((resource) =>
      resource.actions.flatMap(({ name, details }) => {
        const { result, failure, error } = details;
        if (result === 'RESULT_PASSED' || result === 'RESULT_SKIPPED') return [];
        const reason = failure === undefined ? (error ?? '') : `expected ${failure.expected}, got ${failure.actual}`;
        const text = `${test.name}: ${principal.name}, ${resource.name}, ${name}: ${reason}`;
        return [element('li', { class: 'error' }, text)];
      }),
    ),
  );
}
