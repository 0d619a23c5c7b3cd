import { element } from '../dom.js';

/** A button that copies the address of the page, once `remember` has put the state there. */
export function linkButton(remember: () => Promise<void>): HTMLButtonElement {
  const button = element('button', { type: 'button' }, 'Copy link');
  button.addEventListener('click', async () => {
    await remember();
    // Without a secure context there is no clipboard, but the address is the link.
    const isCopied = await Promise.resolve(navigator.clipboard?.writeText(location.href)).then(
      () => navigator.clipboard !== undefined,
      () => false,
    );
    button.textContent = isCopied ? 'Link copied' : 'Copy the address';
    setTimeout(() => {
      button.textContent = 'Copy link';
    }, 1500);
  });
  return button;
}
