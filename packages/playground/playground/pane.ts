import { type Child, element } from '../dom.js';

/** A part of the page that folds to its heading. */
export interface PaneOptions {
  readonly id: string;
  readonly title: string;
  /** Controls beside the heading; hidden while the pane is folded. */
  readonly controls?: readonly Child[];
  readonly isFolded?: boolean;
}

/** A pane: a heading that folds it, controls beside it, and content below. */
export function pane(
  { id, title, controls = [], isFolded = false }: PaneOptions,
  ...content: readonly Child[]
): HTMLElement {
  const body = element('div', { class: 'pane-body', id: `pane-${id}` }, ...content);
  const button = element('button', { type: 'button', class: 'fold', 'aria-controls': body.id }, title);
  const node = element(
    'section',
    { class: 'pane', 'aria-label': title },
    element(
      'div',
      { class: 'pane-head' },
      element('h2', {}, button),
      element('div', { class: 'pane-controls' }, ...controls),
    ),
    body,
  );
  const fold = (folded: boolean): void => {
    button.setAttribute('aria-expanded', String(!folded));
    node.classList.toggle('folded', folded);
    body.hidden = folded;
  };
  button.addEventListener('click', () => fold(!body.hidden));
  fold(isFolded);
  return node;
}
