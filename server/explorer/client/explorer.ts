import { checkAnswer } from './check-answer.js';
import { element } from './dom.js';
import { explainAnswer } from './explain-answer.js';
import { CHECK_FORM, EXPLAIN_FORM, PLAN_FORM } from './form-table.js';
import { at, type Json, textOf } from './json.js';
import { type OperationRow, operationPanel } from './operation-panel.js';
import { planAnswer } from './plan-answer.js';
import { tabs } from './tabs.js';

const OPERATIONS: readonly OperationRow[] = [
  {
    name: 'check',
    title: 'Check',
    about: 'May this principal do these actions on a resource?',
    path: '/api/check/resources',
    form: CHECK_FORM,
    answer: checkAnswer,
  },
  {
    name: 'plan',
    title: 'Plan',
    about: 'Which resources of a kind may this principal act on? The answer is a filter for a query.',
    path: '/api/plan/resources',
    form: PLAN_FORM,
    answer: planAnswer,
  },
  {
    name: 'explain',
    title: 'Explain',
    about: 'Why may this principal do this, or why not? The server shows its policies to the admin only.',
    path: '/admin/explain/decision',
    form: EXPLAIN_FORM,
    answer: explainAnswer,
  },
];

const main = document.querySelector('main') as HTMLElement;
const release = document.querySelector('#release') as HTMLElement;

load().catch((error: unknown) =>
  main.replaceChildren(
    element('p', { class: 'card message', role: 'alert' }, `The schema of the server cannot be read: ${String(error)}`),
  ),
);

async function load(): Promise<void> {
  const response = await fetch('schema/swagger.json');
  const schema = (await response.json()) as Json;
  release.textContent = `release ${textOf(at(schema, ['info', 'version']))}`;
  const items = OPERATIONS.map((operation) => ({
    name: operation.name,
    title: operation.title,
    content: operationPanel(operation, schema),
  }));
  main.replaceChildren(tabs('Operations', items));
}
