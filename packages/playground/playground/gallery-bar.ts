import { element, inlineNodes } from '../dom.js';
import type { Example } from './gallery/example.js';

/** The list of examples, and a sentence about the one that is shown. */
export interface GalleryBar {
  readonly node: HTMLElement;
  readonly ready: Promise<typeof import('./gallery/gallery.js')>;
  /** Marks an example as the one that is shown; undefined if what is shown is none. */
  readonly show: (name: string | undefined) => void;
}

/** @param choose shows an example. */
export function galleryBar(choose: (example: Example) => void): GalleryBar {
  const ready = import('./gallery/gallery.js');
  const about = element('p', { class: 'about' });
  const select = element('select', { id: 'playground-example' });
  const other = element('option', { value: '', hidden: true }, 'Choose an example');
  select.append(other);
  const filled = ready.then(({ GALLERY }) => {
    select.append(...GALLERY.map(({ name, title }) => element('option', { value: name }, title)));
    return GALLERY;
  });
  const show = async (name: string | undefined): Promise<Example | undefined> => {
    const example = (await filled).find((one) => one.name === name);
    select.value = example?.name ?? '';
    about.replaceChildren(...inlineNodes(example?.about ?? ''));
    return example;
  };
  select.addEventListener('change', async () => {
    const example = await show(select.value);
    if (example !== undefined) choose(example);
  });
  return {
    node: element('div', { class: 'gallery' }, element('label', { for: select.id }, 'Example'), select, about),
    ready,
    show: (name) => void show(name),
  };
}
