import { element, inlineNodes } from '../dom.js';
import type { Problem } from './result.js';

/** The problems of the policies, below their editor. */
export interface ProblemsView {
  readonly node: HTMLElement;
  readonly show: (problems: readonly Problem[]) => void;
  /** Shows why there is no result at all. */
  readonly fail: (reason: string) => void;
}

/** @param goTo shows the place of a problem. */
export function problemsView(goTo: (problem: Problem) => void): ProblemsView {
  const status = element('p', { class: 'status', role: 'status' });
  const list = element('ul', { class: 'problems', 'aria-label': 'Problems' });
  const say = (text: string, isGood: boolean): void => {
    status.textContent = text;
    status.className = `status ${isGood ? 'good' : 'bad'}`;
  };
  return {
    node: element('div', { class: 'pane-foot' }, status, list),
    show: (problems) => {
      const errors = problems.filter(({ severity }) => severity === 'error').length;
      say(problems.length === 0 ? 'No problems' : countText(errors, problems.length - errors), errors === 0);
      list.replaceChildren(...problems.map((problem) => problemItem(problem, goTo)));
    },
    fail: (reason) => say(reason, false),
  };
}

function countText(errors: number, warnings: number): string {
  const counted = (count: number, word: string): readonly string[] =>
    count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`];
  return [...counted(errors, 'error'), ...counted(warnings, 'warning')].join(', ');
}

function problemItem(problem: Problem, goTo: (problem: Problem) => void): HTMLElement {
  const { path, place, severity, code, text, notes } = problem;
  const at = `${path ?? ''}${place === undefined ? '' : `:${place.line}:${place.column}`}`;
  return element(
    'li',
    { class: severity },
    element('button', { type: 'button', class: 'link', onclick: () => goTo(problem) }, at || 'All files'),
    ` ${severity}[${code}]: `,
    ...inlineNodes(text),
    ...notes.map((note) => element('p', { class: 'hint' }, ...inlineNodes(note))),
  );
}
