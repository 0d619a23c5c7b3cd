import { element } from './dom.js';

/**
 * A button that copies a text; where the browser does not let it (no secure context), it selects the node that shows
 * it.
 */
export function copyButton(shown: HTMLElement): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'quiet' }, 'Copy');
  button.addEventListener('click', () => {
    const say = (text: string): void => {
      button.textContent = text;
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    };
    const select = (): void => {
      getSelection()?.selectAllChildren(shown);
      say('Selected');
    };
    if (navigator.clipboard === undefined) select();
    else navigator.clipboard.writeText(shown.textContent ?? '').then(() => say('Copied'), select);
  });
  return button;
}
