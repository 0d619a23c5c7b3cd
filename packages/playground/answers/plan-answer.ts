import { badge } from './check-answer.js';
import { element } from '../dom.js';
import { at, toItems, type Json, textOf } from '../json.js';

/** The result of a plan: the condition that each resource must meet. */
export function planAnswer(body: Json): HTMLElement {
  const kind = textOf(at(body, ['filter', 'kind']));
  const condition = at(body, ['filter', 'condition']);
  const debug = textOf(at(body, ['meta', 'filterDebug']));
  return element(
    'section',
    { class: 'result' },
    element('h3', {}, `${textOf(at(body, ['resourceKind']))} `, OUTCOMES[kind]?.() ?? kind),
    condition === undefined ? undefined : filterTree(condition),
    debug === '' || condition === undefined ? undefined : element('p', { class: 'code debug' }, debug),
  );
}

const OUTCOMES: { readonly [kind: string]: () => HTMLElement } = {
  KIND_ALWAYS_ALLOWED: () => badge('Always allowed', 'allow'),
  KIND_ALWAYS_DENIED: () => badge('Always denied', 'deny'),
  KIND_CONDITIONAL: () => badge('Allowed where this holds', 'depends'),
};

/** The condition of a plan as a tree: logical operators are branches that can be collapsed, comparisons are lines. */
export function filterTree(condition: Json): HTMLElement {
  return element('ul', { class: 'tree', 'aria-label': 'Filter' }, element('li', {}, renderNode(condition)));
}

function renderNode(operand: Json): HTMLElement {
  const operator = textOf(at(operand, ['expression', 'operator']));
  const operands = toItems(at(operand, ['expression', 'operands']));
  if (operator === '') return renderLeaf(operand);
  if (operands.every((inner) => at(inner, ['expression']) === undefined)) {
    return element(
      'span',
      { class: 'comparison' },
      element('span', { class: 'operator' }, operator),
      ...operands.flatMap((inner) => [' ', renderLeaf(inner)]),
    );
  }
  const meaning = MEANINGS[operator];
  return element(
    'details',
    { open: true },
    element(
      'summary',
      {},
      element('span', { class: 'operator' }, operator),
      meaning === undefined ? undefined : element('span', { class: 'meaning' }, ` ${meaning}`),
    ),
    element('ul', {}, ...operands.map((inner) => element('li', {}, renderNode(inner)))),
  );
}

const MEANINGS: { readonly [operator: string]: string } = { and: 'all of', or: 'any of', not: 'none of' };

function renderLeaf(operand: Json): HTMLElement {
  const variable = at(operand, ['variable']);
  if (variable !== undefined) return element('span', { class: 'variable' }, textOf(variable).replace(/^request\./, ''));
  return element('span', { class: 'value' }, JSON.stringify(at(operand, ['value']) ?? null));
}
