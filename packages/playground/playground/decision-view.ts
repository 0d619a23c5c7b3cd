import { explainAnswer } from '../answers/explain-answer.js';
import { element } from '../dom.js';
import type { Json } from '../json.js';
import type { Answer } from './evaluate.js';

/** A part of the results, shown again after each evaluation. */
export interface ResultView<Shown> {
  readonly node: HTMLElement;
  readonly show: (shown: Shown | undefined) => void;
}

/** What is shown while the policies do not compile. */
export const REFUSED = 'The policies do not compile. See the problems below them.';

/** The decision about each action, and why. */
export function decisionView(): ResultView<Answer> {
  const node = element('div', { class: 'content' });
  const show = (answer: Answer | undefined): void => {
    if (answer?.kind !== 'answered') node.replaceChildren(refusal(answer));
    else
      node.replaceChildren(
        ...answer.decisions.map(({ action, explanation }) => {
          const shown = explainAnswer(explanation as unknown as Json);
          shown.prepend(element('h2', {}, action));
          return shown;
        }),
      );
  };
  return { node, show };
}

/** Why there is no answer. */
export function refusal(answer: Answer | undefined): HTMLElement {
  return element('p', { class: 'message' }, answer?.kind === 'refused' ? answer.reason : REFUSED);
}
