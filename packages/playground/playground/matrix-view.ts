import { badge, table } from '../answers/check-answer.js';
import { breakable, element } from '../dom.js';
import type { ShownCell, ShownMatrix } from './questions.js';

/** Who may do what: a table of roles by actions for each kind. */
export function matrixNodes({ tables, definitions }: ShownMatrix): readonly HTMLElement[] {
  if (tables.length === 0) return [element('p', { class: 'message' }, 'No policy decides about a kind.')];
  return [
    ...tables.map(tableNode),
    ...(definitions.length === 0
      ? []
      : [
          element(
            'dl',
            { class: 'definitions' },
            ...definitions.flatMap(({ name, text, place }) => [
              element('dt', {}, name),
              element('dd', {}, element('code', {}, text), element('span', { class: 'meaning' }, ` ${place}`)),
            ]),
          ),
        ]),
  ];
}

function tableNode({ title, actions, rows, gap }: ShownMatrix['tables'][number]): HTMLElement {
  // As in the command, conditions are below the table: their texts are wider than a column.
  const conditions = [
    ...new Set(
      rows.flatMap(({ cells }) => cells.flatMap((cell) => (cell.answer === 'condition' ? cell.condition : []))),
    ),
  ];
  return element(
    'section',
    { class: 'result matrix' },
    element('h3', {}, title),
    table(
      ['Role', ...actions].map((name) => element('th', { scope: 'col' }, ...breakable(name))),
      rows.map((row) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, ...breakable(row.title)),
          ...row.cells.map((cell) => cellNode(cell, conditions)),
        ),
      ),
    ),
    conditions.length === 0
      ? undefined
      : element(
          'ol',
          { class: 'conditions', 'aria-label': `Conditions of ${title}` },
          ...conditions.map((condition) => element('li', {}, element('code', {}, condition))),
        ),
    gap === undefined ? undefined : element('p', { class: 'hint' }, gap),
  );
}

function cellNode(cell: ShownCell, conditions: readonly string[]): HTMLElement {
  switch (cell.answer) {
    case 'allowed':
      return element('td', {}, badge('Allowed', 'allow'));
    case 'denied':
      return element('td', {}, element('span', { class: 'meaning' }, 'Denied'));
    case 'undecided':
      return element('td', {}, badge('Not decided', 'depends'));
    case 'condition':
      return element('td', { title: cell.condition }, badge(`If ${conditions.indexOf(cell.condition) + 1}`, 'depends'));
  }
}
