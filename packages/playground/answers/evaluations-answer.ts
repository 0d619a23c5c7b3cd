import { breakable, element } from '../dom.js';
import { at, toItems, type Json, textOf } from '../json.js';
import { badge, table } from './check-answer.js';

/** The decisions of AuthZEN, in the order of the evaluations that were asked for. */
export function evaluationsAnswer(body: Json, asked: Json): HTMLElement {
  const questions = toItems(at(asked, ['evaluations']));
  const rows = toItems(at(body, ['evaluations'])).map((evaluation, index) => {
    const question = questions[index];
    const resource = `${textOf(at(question, ['resource', 'type']))} ${textOf(at(question, ['resource', 'id']))}`;
    const isAllowed = at(evaluation, ['decision']) === true;
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, ...breakable(textOf(at(question, ['action', 'name'])))),
      element('td', {}, isAllowed ? badge('Allowed', 'allow') : badge('Denied', 'deny')),
      element('td', {}, ...breakable(resource)),
    );
  });
  const head = ['Action', 'Decision', 'Resource'].map((title) => element('th', { scope: 'col' }, title));
  return element('section', { class: 'result' }, table(head, rows));
}
