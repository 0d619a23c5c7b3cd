import { element } from './dom.js';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: HTMLElement;
}

/**
 * Tabs as keyboards and screen readers expect them: arrows move between them, the fragment of the address names the
 * chosen one.
 */
export function tabs(label: string, items: readonly Tab[]): HTMLElement {
  const buttons = items.map(({ name, title }) =>
    element('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}` }, title),
  );
  const panels = items.map(({ name, content }) =>
    element('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}` }, content),
  );
  const choose = (chosen: number): void => {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    });
    panels.forEach((panel, index) => {
      panel.hidden = index !== chosen;
    });
  };
  buttons.forEach((button, index) => {
    button.addEventListener('click', () => {
      choose(index);
      history.replaceState(undefined, '', `#${items[index]?.name}`);
    });
    button.addEventListener('keydown', ({ key }) => {
      const step = STEPS[key];
      if (step !== undefined) buttons[(index + step + buttons.length) % buttons.length]?.focus();
      if (step !== undefined) buttons[(index + step + buttons.length) % buttons.length]?.click();
    });
  });
  choose(
    Math.max(
      items.findIndex(({ name }) => location.hash === `#${name}`),
      0,
    ),
  );
  return element(
    'div',
    { class: 'tabs' },
    element('div', { role: 'tablist', 'aria-label': label }, ...buttons),
    ...panels,
  );
}

const STEPS: { readonly [key: string]: number } = { ArrowRight: 1, ArrowLeft: -1 };
