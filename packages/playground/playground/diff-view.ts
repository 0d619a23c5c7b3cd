import { badge } from '../answers/check-answer.js';
import { breakable, element, inlineNodes } from '../dom.js';
import type { ShownChange, ShownDiff } from './questions.js';

/**
 * What the policies decide differently since they were loaded.
 *
 * @param show shows a request in the editor of requests.
 */
export function diffNodes(
  { compared, changes, undecided, alsoChanged }: ShownDiff,
  show: (request: string) => void,
): readonly HTMLElement[] {
  const notes = [
    ...(undecided.length === 0
      ? []
      : [`Not decided: ${undecided.join('; ')}. \`authzc diff\` with a solver decides most.`]),
    ...(alsoChanged.length === 0 ? [] : [`Also changed: ${alsoChanged.join(', ')}.`]),
  ];
  const same =
    undecided.length > 0
      ? 'No difference was found.'
      : `The policies decide every request as they did when they were loaded: proved for ${compared} ${compared === 1 ? 'action' : 'actions'}. Edit a rule to see which requests the change allows or denies.`;
  return [
    ...(changes.length === 0
      ? [element('p', { class: 'message' }, same)]
      : changes.map((change) => changeNode(change, show))),
    ...notes.map((note) => element('p', { class: 'hint' }, ...inlineNodes(note))),
  ];
}

function changeNode(
  { title, direction, roles, request, causes }: ShownChange,
  show: (request: string) => void,
): HTMLElement {
  const isWidened = direction === 'widened';
  return element(
    'section',
    { class: `decision ${isWidened ? 'allow' : 'deny'}` },
    element('h3', {}, ...breakable(title)),
    element(
      'h4',
      {},
      isWidened ? badge('Now allowed', 'allow') : badge('Now denied', 'deny'),
      roles.length === 0 ? '' : ` for ${roles.join(', ')}`,
    ),
    causes.length === 0
      ? undefined
      : element(
          'ul',
          { class: 'tree', 'aria-label': 'Causes' },
          ...causes.map(({ rule, before, after }) =>
            element(
              'li',
              {},
              rule,
              before === undefined ? undefined : element('span', { class: 'meaning' }, ` ${before} → ${after ?? ''}`),
            ),
          ),
        ),
    element('pre', { class: 'code wrap', tabindex: 0, 'aria-label': 'Example' }, request),
    element('div', {}, element('button', { type: 'button', onclick: () => show(request) }, 'Try this request')),
  );
}
