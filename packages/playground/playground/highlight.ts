import { typescriptLanguage } from '@codemirror/lang-javascript';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { element } from '../dom.js';

/** TypeScript as text nodes and highlighted spans. */
export function highlighted(text: string): readonly (HTMLElement | string)[] {
  const nodes: (HTMLElement | string)[] = [];
  highlightCode(
    text,
    typescriptLanguage.parser.parse(text),
    classHighlighter,
    (part, classes) => nodes.push(classes === '' ? part : element('span', { class: classes }, part)),
    () => nodes.push('\n'),
  );
  return nodes;
}
