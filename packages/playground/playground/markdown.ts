import { element, inlineNodes } from '../dom.js';

/** The Markdown of the language server as nodes: paragraphs, inline code and blocks of code. Nothing becomes markup. */
export function markdownNode(markdown: string): HTMLElement {
  const parts = markdown.split(/^(`{3,})\w*\n([\s\S]*?)\n\1$/m);
  const nodes: HTMLElement[] = [];
  for (let index = 0; index < parts.length; index += 3) {
    for (const text of (parts[index] ?? '').split(/\n{2,}/))
      if (text.trim() !== '') nodes.push(element('p', {}, ...inlineNodes(text.trim())));
    const block = parts[index + 2];
    if (block !== undefined) nodes.push(element('pre', {}, block));
  }
  return element('div', { class: 'cm-help' }, ...nodes);
}
