import { element } from '../dom.js';
import type { Reviewed } from './questions.js';

/** A view whose content takes an analysis, which runs only while it is shown. */
export interface AskedView<Asks> {
  readonly node: HTMLElement;
  /** What to ask about, if it is shown or once it is. */
  readonly update: (asks: Asks) => void;
  readonly shown: () => void;
}

/** A view that asks for what it shows. */
export function askedView<Asks, Shown extends object>(
  ask: (asks: Asks) => Promise<Reviewed<Shown>>,
  draw: (shown: Shown) => readonly HTMLElement[],
): AskedView<Asks> {
  const node = element('div', { class: 'content' });
  let pending: { readonly asks: Asks } | undefined;
  const run = async (): Promise<void> => {
    const current = pending;
    if (current === undefined || node.closest<HTMLElement>('[role=tabpanel]')?.hidden !== false) return;
    pending = undefined;
    if (node.childElementCount === 0) node.replaceChildren(element('p', { class: 'empty' }, 'Analysing…'));
    const nodes = await ask(current.asks).then(
      (found) => ('refused' in found ? [element('p', { class: 'message' }, String(found.refused))] : draw(found)),
      (error: unknown) => [element('p', { class: 'message' }, error instanceof Error ? error.message : String(error))],
    );
    // A newer question is on its way.
    if (pending === undefined) node.replaceChildren(...nodes);
    else void run();
  };
  return {
    node,
    update: (asks) => {
      pending = { asks };
      void run();
    },
    shown: () => void run(),
  };
}
