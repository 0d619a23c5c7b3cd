import { planAnswer } from '../answers/plan-answer.js';
import { element } from '../dom.js';
import { at, toItems, type Json, textOf } from '../json.js';
import { refusal, type ResultView } from './decision-view.js';
import type { ActionPlan, Answer, SqlText } from './result.js';

const DIALECTS = [
  ['postgresql', 'PostgreSQL'],
  ['sqlite', 'SQLite'],
  ['mysql', 'MySQL'],
] as const;

/** The plan of each action: the filter as a tree, and as SQL in the dialect that is chosen. */
export function planView(): ResultView<Answer> {
  let latest: Answer | undefined;
  const select = element(
    'select',
    { id: 'playground-dialect', onchange: () => show(latest) },
    ...DIALECTS.map(([value, title]) => element('option', { value }, title)),
  );
  const plans = element('div', { class: 'content' });
  const show = (answer: Answer | undefined): void => {
    latest = answer;
    if (answer?.kind === 'answered')
      plans.replaceChildren(...answer.plans.map((plan) => planNode(plan, select.value as keyof ActionPlan['sql'])));
    else plans.replaceChildren(refusal(answer));
  };
  const node = element(
    'div',
    { class: 'content' },
    element('div', { class: 'inline' }, element('label', { for: select.id }, 'SQL dialect'), select),
    plans,
  );
  return { node, show };
}

function planNode({ action, response, table, sql }: ActionPlan, dialect: keyof ActionPlan['sql']): HTMLElement {
  const shown = planAnswer(response as Json);
  shown.prepend(element('h2', {}, action));
  const unplanned = toItems(at(response as Json, ['unplanned'])).map((rule) =>
    element(
      'p',
      { class: 'note' },
      `${textOf(at(rule, ['rule']))} cannot be part of a filter: ${textOf(at(rule, ['reason']))}`,
    ),
  );
  shown.append(
    ...unplanned,
    element('h4', {}, 'SQL'),
    sqlNode(sql[dialect]),
    element(
      'details',
      {},
      element('summary', {}, 'The table, with column types guessed from the filter and the request'),
      element('pre', { class: 'code wrap', tabindex: 0, 'aria-label': 'Table' }, JSON.stringify(table, undefined, 2)),
    ),
  );
  return shown;
}

function sqlNode(sql: SqlText): HTMLElement {
  if ('refused' in sql)
    return element(
      'div',
      {},
      ...sql.refused.map((reason) => element('p', { class: 'note' }, `Not in this dialect: ${reason}`)),
    );
  return element(
    'div',
    { class: 'content' },
    element('pre', { class: 'code wrap', tabindex: 0, 'aria-label': 'SQL' }, sql.text),
    element(
      'p',
      { class: 'code debug' },
      `parameters: ${sql.parameters.map((value) => JSON.stringify(value)).join(', ')}`,
    ),
  );
}
