import { element } from '../dom.js';
import { REFUSED, type ResultView } from './decision-view.js';
import type { PlaygroundResult } from './result.js';

type Generated = NonNullable<PlaygroundResult['generated']>;

/** The generated TypeScript, a file at a time; its highlighter is loaded when it is first shown. */
export function generatedView(): ResultView<Generated> & { readonly shown: () => void } {
  let files: Generated = [];
  let isShown = false;
  const select = element('select', { id: 'playground-generated', onchange: () => draw() });
  const code = element('pre', { class: 'code wrap', tabindex: 0, 'aria-label': 'Generated TypeScript' });
  const draw = (): void => {
    const text = files.find(({ path }) => path === select.value)?.text ?? REFUSED;
    code.textContent = text;
    if (isShown && files.length > 0)
      void import('./highlight.js').then(({ highlighted }) => {
        if (code.textContent === text) code.replaceChildren(...highlighted(text));
      });
  };
  return {
    node: element(
      'div',
      { class: 'content' },
      element('div', { class: 'inline' }, element('label', { for: select.id }, 'Generated file'), select),
      code,
    ),
    show: (generated) => {
      files = generated ?? [];
      const { value } = select;
      const chosen =
        files.find(({ path }) => path === value) ?? files.find(({ path }) => path.startsWith('resource/')) ?? files[0];
      select.replaceChildren(
        ...files.map(({ path }) => element('option', { value: path, selected: path === chosen?.path }, path)),
      );
      draw();
    },
    shown: () => {
      isShown = true;
      draw();
    },
  };
}
