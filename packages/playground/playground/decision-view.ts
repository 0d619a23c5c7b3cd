import { badge } from '../answers/check-answer.js';
import { explainAnswer } from '../answers/explain-answer.js';
import { breakable, element } from '../dom.js';
import type { Json } from '../json.js';
import type { ActionDecision, Answer } from './result.js';

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
    else node.replaceChildren(...summary(answer.decisions), ...answer.decisions.map(decisionNode));
  };
  return { node, show };
}

/** Why there is no answer. */
export function refusal(answer: Answer | undefined): HTMLElement {
  return element('p', { class: 'message' }, answer?.kind === 'refused' ? answer.reason : REFUSED);
}

/** The decisions at a glance. */
function summary(decisions: readonly ActionDecision[]): readonly HTMLElement[] {
  if (decisions.length < 2) return [];
  const items = decisions.map(({ action, isAllowed }) =>
    element('li', { class: isAllowed ? 'allow' : 'deny' }, ...breakable(action)),
  );
  return [element('ul', { class: 'summary', 'aria-hidden': 'true' }, ...items)];
}

function decisionNode({ action, isAllowed, explanations }: ActionDecision): HTMLElement {
  const word = isAllowed ? badge('Allowed', 'allow') : badge('Denied', 'deny');
  const [first] = explanations;
  const name = element('h3', {}, ...breakable(action));
  const kind = `decision ${isAllowed ? 'allow' : 'deny'}`;
  if (first !== undefined && explanations.length === 1) {
    const shown = explainAnswer(first.explanation as unknown as Json);
    shown.className = kind;
    shown.prepend(name);
    return shown;
  }
  return element(
    'section',
    { class: kind },
    name,
    element('h4', {}, word, ...actorsReason(explanations)),
    ...explanations.map(({ id, explanation }, index) => {
      const shown = explainAnswer(explanation as unknown as Json);
      shown.className = 'actor';
      shown.prepend(
        element('p', { class: 'who' }, index === 0 ? id : `${id}, acting for ${explanations[0]?.id ?? ''}`),
      );
      return shown;
    }),
  );
}

/** Whether all actors are allowed, or which are not. */
function actorsReason(explanations: ActionDecision['explanations']): readonly (HTMLElement | string)[] {
  const denied = explanations.filter(({ explanation }) => explanation.effect !== 'EFFECT_ALLOW');
  if (denied.length === 0) return [' as each actor is allowed'];
  const names = denied.flatMap(({ id }, index) => [index === 0 ? ' as ' : ' and ', element('strong', {}, id)]);
  return [...names, denied.length === 1 ? ' is denied' : ' are denied'];
}
