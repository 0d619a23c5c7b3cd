import { element } from './dom.js';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: HTMLElement;
  /** Called whenever it is chosen. */
  readonly onShow?: () => void;
}

export interface TabOptions {
  /** The fragment of the address names the chosen one. */
  readonly inAddress?: boolean;
}

/** Tabs as keyboards and screen readers expect them: arrows move between them. */
export function tabs(label: string, items: readonly Tab[], { inAddress = false }: TabOptions = {}): HTMLElement {
  const buttons = items.map(({ name, title }) =>
    element('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}` }, title),
  );
  const panels = items.map(({ name, content }) =>
    // Content that scrolls must be reached with the keyboard.
    element('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, tabindex: 0 }, content),
  );
  const choose = (chosen: number): void => {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    });
    panels.forEach((panel, index) => {
      panel.hidden = index !== chosen;
    });
    items[chosen]?.onShow?.();
  };
  const onArrow = (index: number, key: string): void => {
    const step = STEPS[key];
    if (step === undefined) return;
    const next = buttons[(index + step + buttons.length) % buttons.length];
    next?.focus();
    next?.click();
  };
  buttons.forEach((button, index) => {
    button.addEventListener('click', () => {
      choose(index);
      if (inAddress) history.replaceState(undefined, '', `#${items[index]?.name}`);
    });
    button.addEventListener('keydown', ({ key }) => onArrow(index, key));
  });
  const [named] = location.hash.slice(1).split('=');
  choose(
    inAddress
      ? Math.max(
          items.findIndex(({ name }) => name === named),
          0,
        )
      : 0,
  );
  return element(
    'div',
    { class: 'tabs' },
    element('div', { role: 'tablist', 'aria-label': label }, ...buttons),
    ...panels,
  );
}

const STEPS: { readonly [key: string]: number } = { ArrowRight: 1, ArrowLeft: -1 };
