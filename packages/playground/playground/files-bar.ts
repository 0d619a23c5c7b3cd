import { element } from '../dom.js';

/** What the controls of the files do; `open`, `add` and `remove` are called with paths. */
export interface FilesBarOptions {
  readonly open: (path: string) => void;
  readonly add: (path: string) => void;
  readonly remove: () => void;
}

/** The controls of the files: a list to choose from, buttons to add and delete one, and a form for the name of a new one. */
export interface FilesBar {
  readonly controls: readonly HTMLElement[];
  /** Below the heading; hidden until it is asked for. */
  readonly form: HTMLElement;
  readonly show: (paths: Iterable<string>, opened: string) => void;
}

export function filesBar({ open, add, remove }: FilesBarOptions): FilesBar {
  const select = element('select', {
    id: 'playground-file',
    'aria-label': 'File',
    onchange: () => open(select.value),
  });
  const path = element('input', {
    type: 'text',
    id: 'playground-path',
    placeholder: 'album.yaml, album_test.yaml or _schemas/album.json',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const showForm = (isShown: boolean): void => {
    form.hidden = !isShown;
    create.setAttribute('aria-expanded', String(isShown));
    if (isShown) path.focus();
  };
  const form = element(
    'form',
    {
      class: 'inline new-file',
      id: 'playground-new-file',
      'aria-label': 'New file',
      onsubmit: (event) => {
        event.preventDefault();
        const name = path.value.trim();
        if (name === '') return path.focus();
        path.value = '';
        showForm(false);
        add(name);
      },
      onkeydown: (event) => {
        if ((event as KeyboardEvent).key !== 'Escape') return;
        showForm(false);
        create.focus();
      },
    },
    element('label', { for: path.id }, 'Path'),
    path,
    element('button', { type: 'submit' }, 'Add'),
  );
  const create = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': 'New file',
      'aria-controls': form.id,
      onclick: () => showForm(form.hidden === true),
    },
    'New',
  );
  const dismiss = element(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': 'Delete file', onclick: () => remove() },
    'Delete',
  );
  showForm(false);
  return {
    controls: [select, create, dismiss],
    form,
    show: (paths, opened) =>
      select.replaceChildren(
        ...[...paths].map((name) => element('option', { value: name, selected: name === opened }, name)),
      ),
  };
}
